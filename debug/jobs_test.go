package debug_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type jobsShown struct {
	Tables []struct {
		Name string
		Jobs []jobShown
	}
}

type jobShown struct {
	Name, Spec, Error    string
	Next, Running, Began time.Time
	Rounds, Failed       int
	Skipped              int
	Paused               bool
	Took                 float64
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return noon.Add(d) }

// newJobsHarness returns a harness whose loop begins at noon, and a table of jobs on it: one succeeds after ten seconds, one
// fails, one is at work for an hour.
func newJobsHarness(t *testing.T, o debug.Options) (*harness, *cron.Table) {
	h := newHarness(t, o)
	h.loop = tooltest.New(tooltest.WithHost(tool.WithStart(noon)))
	jobs := cron.New(
		cron.Job{Name: "sweep", Period: time.Minute, Work: plantest.Delay("", 10*time.Second)},
		cron.Job{Name: "report", Spec: "* * * * *", Next: cron.Every(time.Minute), Work: plantest.Named("", errBad)},
		cron.Job{Name: "slow", Next: cron.Every(time.Minute), Work: plantest.Delay("", time.Hour)},
	)
	h.Jobs("main", jobs)
	start(h, jobs.Plan())
	return h, jobs
}

func TestJobs(t *testing.T) {
	h, jobs := newJobsHarness(t, debug.Options{})
	shown := func(want ...jobShown) {
		t.Helper()
		var got jobsShown
		h.into("jobs", &got)
		if len(got.Tables) != 1 || got.Tables[0].Name != "main" {
			t.Fatalf("got %+v", got)
		}
		if diff := cmp.Diff(want, got.Tables[0].Jobs); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	minute := at(time.Minute)
	shown(
		jobShown{Name: "sweep", Spec: "every 1m0s", Next: minute},
		jobShown{Name: "report", Spec: "* * * * *", Next: minute},
		jobShown{Name: "slow", Next: minute},
	)
	h.loop.Advance(65 * time.Second)
	const bad = "Bad: bad luck"
	failed := jobShown{Name: "report", Spec: "* * * * *", Next: at(2 * time.Minute), Began: minute, Rounds: 1, Failed: 1, Error: jobs.List()[1].Err.Error()}
	if !strings.Contains(failed.Error, bad) {
		t.Errorf("the error is %s", failed.Error)
	}
	shown(
		jobShown{Name: "sweep", Spec: "every 1m0s", Running: minute, Next: at(2 * time.Minute)},
		failed,
		jobShown{Name: "slow", Running: minute, Next: at(2 * time.Minute)},
	)
	html := h.html("jobs")
	for _, want := range []string{"at work since 2026-03-01 12:01:00", ">2026-03-01 12:02:00<", bad, ">every 1m0s<", `<a href="jobs" aria-current="page">Jobs</a>`} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
	h.loop.Advance(10 * time.Second)
	shown(
		jobShown{Name: "sweep", Spec: "every 1m0s", Next: at(2 * time.Minute), Began: minute, Rounds: 1, Took: 10},
		failed,
		jobShown{Name: "slow", Running: minute, Next: at(2 * time.Minute)},
	)
	if html := h.html("jobs"); !strings.Contains(html, ">10s<") || !strings.Contains(html, ">succeeded<") {
		t.Errorf("no result in\n%s", html)
	}
}

func TestJobsThatChange(t *testing.T) {
	h, jobs := newJobsHarness(t, debug.Options{})
	h.loop.Advance(190 * time.Second)
	if err := jobs.Set(cron.Job{Name: "sweep", Period: time.Hour, Work: plantest.Delay("", time.Second)}); err != nil {
		t.Error(err)
	}
	h.loop.Advance(0)
	var got jobsShown
	h.into("jobs", &got)
	want := []jobShown{
		{Name: "sweep", Spec: "every 1h0m0s", Rounds: 3, Began: at(3 * time.Minute), Took: 10, Next: at(time.Hour)},
		{Name: "slow", Running: at(time.Minute), Skipped: 2}, // until its round ends
	}
	if diff := cmp.Diff(want, got.Tables[0].Jobs); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if html := h.html("jobs"); !strings.Contains(html, `data-of="Skipped">2<`) {
		t.Errorf("no skipped times in\n%s", html)
	}
}

func TestJobsThatArePaused(t *testing.T) {
	h, jobs := newJobsHarness(t, debug.Options{})
	h.loop.Advance(65 * time.Second)
	for _, name := range []string{"report", "slow"} {
		if err := jobs.Pause(name); err != nil {
			t.Error(err)
		}
	}
	var got jobsShown
	h.into("jobs", &got)
	if all := got.Tables[0].Jobs; all[0].Paused || !all[1].Paused || !all[1].Next.IsZero() || !all[2].Paused {
		t.Errorf("got %+v", all)
	}
	html := h.html("jobs")
	for _, want := range []string{">paused<", ">at work since 2026-03-01 12:01:00, then paused<"} {
		if strings.Count(html, want) != 1 {
			t.Errorf("no %s, or more than one, in\n%s", want, html)
		}
	}
}

func TestJobsAreReplaced(t *testing.T) {
	h := newHarness(t, debug.Options{})
	if html := h.html("jobs"); !strings.Contains(html, "No table of jobs") || strings.Contains(h.html("index"), `href="jobs"`) {
		t.Errorf("without a table: %s", html)
	}
	work := plantest.Delay("", time.Second)
	h.Jobs("main", cron.New(cron.Job{Name: "old", Period: time.Hour, Work: work}))
	h.Jobs("empty", cron.New())
	h.Jobs("main", cron.New(cron.Job{Name: "new", Period: time.Hour, Work: work}))
	html := h.html("jobs")
	if strings.Contains(html, ">old<") || !strings.Contains(html, ">new<") || !strings.Contains(html, "The table has no jobs") {
		t.Errorf("got %s", html)
	}
	h.Jobs("main", nil)
	if html := h.html("jobs"); strings.Contains(html, ">new<") {
		t.Errorf("it is still there: %s", html)
	}
}

func TestJobByHand(t *testing.T) {
	h, jobs := newJobsHarness(t, debug.Options{Control: true})
	if html := h.html("jobs"); !strings.Contains(html, `<form method="post" action="job?name=report&amp;table=main">`) {
		t.Errorf("no form in\n%s", html)
	}
	idle := cron.New(cron.Job{Name: "sweep", Period: time.Hour, Work: plantest.Delay("", time.Second)})
	h.Jobs("idle", idle)
	for page, status := range map[string]int{
		"job?table=main&name=report": http.StatusSeeOther,
		"job?table=main&name=swipe":  http.StatusConflict,
		"job?table=idle&name=sweep":  http.StatusConflict, // it has no run
		"job?table=bar&name=sweep":   http.StatusNotFound,
		"job":                        http.StatusNotFound,
	} {
		w := h.post(page, sameOrigin)
		if w.Code != status {
			t.Errorf("%s: %d %s, want %d", page, w.Code, w.Body, status)
		}
		if status == http.StatusSeeOther && w.Header().Get("Location") != "/debug/asyncsteps/jobs" {
			t.Error(w.Header())
		}
	}
	h.loop.Advance(0)
	for i, rounds := range []int{0, 1, 0} {
		if got := jobs.List()[i]; got.Rounds != rounds || !got.Running.IsZero() {
			t.Errorf("got %+v, want %d rounds", got, rounds)
		}
	}
}

func TestJobNotByHand(t *testing.T) {
	const page = "job?table=main&name=report"
	h, jobs := newJobsHarness(t, debug.Options{Control: true})
	h.refuses(page)
	shown := newHarness(t, debug.Options{})
	shown.Jobs("main", jobs)
	shown.onlyShows("jobs", page)
	h.loop.Advance(0)
	if got := jobs.List()[1]; got.Rounds != 0 {
		t.Errorf("got %+v", got)
	}
}
