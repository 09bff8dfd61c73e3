package debug_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var errBad = fault.New("Bad", "bad luck")

type harness struct {
	*testing.T
	*debug.Handler

	loop  *tooltest.Loop
	attrs []slog.Attr // attributes of the runs that are started from now on
}

// hosts has the Host of httptest.NewRequest.
var hosts = []string{"example.com"}

func newHarness(t *testing.T, o debug.Options) *harness {
	loop := tooltest.New()
	o.Clock = loop.Now
	if o.Hosts == nil {
		o.Hosts = hosts
	}
	return &harness{T: t, Handler: debug.New(o), loop: loop}
}

// start starts a run of s, and turns the loop as far as possible at the present time.
func start[Out any](h *harness, s step.Step[step.Unit, Out]) *flow.Running[Out] {
	h.Helper()
	run := flow.Start(observe.WithAttrs(observe.With(context.Background(), h), h.attrs...), h.loop, s, step.Unit{})
	h.loop.Advance(0)
	return run
}

func (h *harness) request(method, page string, header http.Header) *httptest.ResponseRecorder {
	h.Helper()
	req := httptest.NewRequestWithContext(h.Context(), method, "/debug/asyncsteps/"+page, http.NoBody)
	req.Header = header
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

func (h *harness) html(page string) string {
	h.Helper()
	w := h.request(http.MethodGet, page, nil)
	if w.Code != http.StatusOK {
		h.Fatalf("%s: %d %s", page, w.Code, w.Body)
	}
	return w.Body.String()
}

func (h *harness) data(page string) (v shown) {
	h.Helper()
	w := h.request(http.MethodGet, page, http.Header{"Accept": {"application/json"}})
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil { //nolint:musttag // the names are the same without their case
		h.Fatalf("%s: %v in %s", page, err, w.Body)
	}
	return v
}

// shown has the parts of the JSON pages that tests look at.
type shown struct {
	run
	Live, Ended           []run
	LiveFound, EndedFound int
	Unlisted              int
	Guards                json.RawMessage
	Loops                 json.RawMessage
	Events                []struct {
		At                                float64
		What, Path, Label, Outcome, Error string
	}
	Earlier  int
	Spans    []spanShown
	Parts    int
	Plan     *flow.Tree
	Detail   string
	Children []run
}

type run struct {
	ID, Parent uint64
	Name       string
	Age        float64
	Site       fault.Site
	Attrs      []struct{ Key, Value string }
	Stands     []stand
	MoreSteps  int
	End        *struct {
		Took, Ago         float64
		Code, Error, Path string
	}
}

type spanShown struct {
	Path, Label, Code, Race  string
	From, To, Waited, Queued float64
	Live                     bool
	Attempt, Of              int
	Won                      []int
}

type stand struct {
	Path, Label, Kind, In, State, Guard string
	For                                 float64
}

func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	return w
}

func (h *harness) into(page string, v any) {
	h.Helper()
	w := h.request(http.MethodGet, page, http.Header{"Accept": {"application/json"}})
	if err := json.Unmarshal(w.Body.Bytes(), v); err != nil || w.Code != http.StatusOK {
		h.Fatalf("%s: %d %v in %s", page, w.Code, err, w.Body)
	}
}
