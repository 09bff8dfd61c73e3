package debug_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestQueueSaysWhy(t *testing.T) {
	h := newHarness(t, debug.Options{})
	h.Guard("spare", syncx.NewMutex(1, -1))
	door := syncx.NewMutex(2, -1)
	h.Guard("door", door)
	start(h, flow.Named("first", syncx.Sync(door, plantest.Delay("w", 10*time.Second))))
	h.loop.Advance(time.Second)
	for _, name := range []string{"second", "third", "fourth"} {
		start(h, flow.Named(name, syncx.Sync(door, plantest.Delay("w", time.Hour))))
	}
	h.loop.Advance(2 * time.Second)
	var v struct {
		Live []struct {
			ID     uint64
			Name   string
			Stands []struct {
				State string
				Queue *struct {
					Place, Queued, Inside int
					Holders               []struct {
						Run uint64
						For float64
					}
					Expect float64
				}
			}
		}
		Status struct{ Live, Running, Suspended, Queued int }
	}
	h.into("index", &v)
	if got := fmt.Sprint(v.Status); got != "{4 0 2 2}" {
		t.Errorf("the status is %s", got)
	}
	first, second := v.Live[0].ID, v.Live[1].ID
	if v.Live[0].Stands[0].Queue != nil {
		t.Error("a step that is inside has a place in the queue")
	}
	for i, run := range v.Live[2:] {
		q := run.Stands[0].Queue
		if q == nil || q.Place != i+1 || q.Queued != 2 || q.Inside != 2 || len(q.Holders) != 2 {
			t.Fatalf("%s: %+v", run.Name, q)
		}
		if q.Holders[0].Run != first || q.Holders[0].For != 3 || q.Holders[1].Run != second || q.Holders[1].For != 2 {
			t.Errorf("%s: inside are %+v", run.Name, q.Holders)
		}
		if want := float64(i+1) * 3 / 2; q.Expect != want { // two have entered in three seconds
			t.Errorf("%s expects to wait %v, want %v", run.Name, q.Expect, want)
		}
	}
	page := h.html("index")
	for _, want := range []string{
		`queued at <a href="guards#g2"><bdi>door</bdi></a> for 2s</span>, 2 of 2 there, about 3s to go; inside: `,
		fmt.Sprintf(`<a href="run?id=%d">run %d</a> for 3s, `, first, first),
		`4 live: <a href="index?state=running">0 running</a>, <a href="index?state=suspended">2 suspended</a>, <a href="index?state=queued" class="wait">2 queued</a>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s isn't in %s", want, page)
		}
	}
	if page = h.html("guards"); !strings.Contains(page, `<a href="#g2"><bdi>door</bdi></a>`) || !strings.Contains(page, `id="g2"`) {
		t.Error("the page of guards doesn't lead to the guard")
	}
	h.loop.Advance(7 * time.Second) // the first one leaves
	h.into("index", &v)
	if q := v.Live[1].Stands[0].Queue; v.Live[1].Name != "third" || q != nil {
		t.Errorf("%s, which was let in, waits for %+v", v.Live[1].Name, q)
	}
}

// The step says which attempt it is, and the error of the last one that failed.
func TestRetrySaysWhy(t *testing.T) {
	h := newHarness(t, debug.Options{})
	tried := flow.Then(plantest.Delay("ask", time.Second), plantest.Named("answer", errBad))
	start(h, flow.Named("order", retry.Of(retry.Policy{Tries: 3, Pause: 10 * time.Second}, tried)))
	want := func(state string, attempt int, last string) {
		t.Helper()
		var v struct {
			Live []struct {
				Stands []struct {
					State       string
					Attempt, Of int
					LastError   string
				}
			}
		}
		h.into("index", &v)
		if got := fmt.Sprint(v.Live[0].Stands); got != fmt.Sprintf("[{%s %d 3 %s}]", state, attempt, last) {
			t.Errorf("the run stands at %s", got)
		}
	}
	bad := "Bad: bad luck"
	want("suspended", 1, "")
	h.loop.Advance(2 * time.Second)
	want("suspended", 1, bad) // in the pause
	h.loop.Advance(10 * time.Second)
	want("suspended", 2, bad)
	if page := h.html("index"); !strings.Contains(page, `attempt 2 of 3, last error: <span class="bad">Bad: `) {
		t.Errorf("the page doesn't show it: %s", page)
	}
}

func TestStatusCountsCodes(t *testing.T) {
	h := newHarness(t, debug.Options{})
	for range 3 {
		start(h, plantest.Named("f", errBad))
	}
	start(h, plantest.Named("g", fault.New("a b&c", "")))
	if page := h.html("plans"); !strings.Contains(page, `failed: <a class="bad" href="index?code=Bad"><bdi>Bad</bdi> 3</a>, <a class="bad" href="index?code=a%20b%26c">`) {
		t.Errorf("the page doesn't count them: %s", page)
	}
	if v := h.data("index?code=a%20b%26c"); v.EndedFound != 1 {
		t.Errorf("%d are found", v.EndedFound)
	}
}
