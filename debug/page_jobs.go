package debug

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
)

type jobsView struct {
	Tables []jobList `json:"tables"`

	Control bool `json:"-"` // jobs can be run by hand
}

type jobList struct {
	Name string    `json:"name"`
	Jobs []jobView `json:"jobs"`
}

// jobView is a job. Its times are those of the loop on which it runs.
type jobView struct {
	Name    string    `json:"name"`
	Spec    string    `json:"spec,omitempty"`
	Next    time.Time `json:"next,omitzero"`    // when a round is due
	Paused  bool      `json:"paused,omitzero"`  // no round begins at its time
	Running time.Time `json:"running,omitzero"` // when the present round began
	Rounds  int       `json:"rounds"`           // rounds that have ended
	Failed  int       `json:"failed"`
	Skipped int       `json:"skipped"`        // times without a round of their own
	Began   time.Time `json:"began,omitzero"` // this and the fields below are of the last round that has ended
	Took    span      `json:"took"`
	Error   string    `json:"error,omitempty"`

	Link string `json:"-"` // the address that runs the job
}

// When returns t as pages show it.
func (jobView) When(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateTime)
}

func (h *Handler) allJobs(*http.Request) (any, error) {
	v := jobsView{Tables: []jobList{}, Control: h.book.options.Control}
	for _, t := range h.jobs() {
		l := jobList{Name: t.name, Jobs: []jobView{}}
		for _, s := range t.List() {
			l.Jobs = append(l.Jobs, newJobView(t.name, s))
		}
		v.Tables = append(v.Tables, l)
	}
	return v, nil
}

func newJobView(table string, s cron.State) jobView {
	return jobView{
		Name: s.Name, Spec: clip(s.Spec, maxBrief), Next: writable(s.Next), Paused: s.Paused, Running: writable(s.Running),
		Rounds: s.Rounds, Failed: s.Failed, Skipped: s.Skipped,
		Began: writable(s.Began), Took: span(s.Ended.Sub(s.Began)), Error: brief(s.Err),
		Link: "job?" + url.Values{"table": {table}, "name": {s.Name}}.Encode(),
	}
}

var errNoTable = &refusal{http.StatusNotFound, "there is no such table of jobs: see jobs"}

// runJob serves POST job?table=main&name=sweep.
func (h *Handler) runJob(w http.ResponseWriter, r *http.Request) error {
	if err := h.allowed(r); err != nil {
		return err
	}
	query, all := r.URL.Query(), h.jobs()
	i := slices.IndexFunc(all, func(t jobTable) bool { return t.name == query.Get("table") })
	if i < 0 {
		return errNoTable
	}
	if err := all[i].RunNow(query.Get("name")); err != nil {
		return &refusal{http.StatusConflict, brief(err)}
	}
	http.Redirect(w, r, "jobs", http.StatusSeeOther)
	return nil
}
