package debug_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/internal/plantest"
)

// JSON can't write some times. They don't keep the others from being shown.
func TestTimesThatJSONCannotWrite(t *testing.T) {
	const last = `"9999-12-31T23:59:59Z"`
	for when, want := range map[time.Time]string{
		time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC):                           last,
		time.Unix(1<<60, 0):                                                     last,
		time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC):                               `"0001-01-01T00:00:00Z"`,
		time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("far", -100*60*60)):   `"2026-03-05T16:00:00Z"`,
		time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("near", 2*60*60)):     `"2026-03-01T12:00:00+02:00"`,
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("west", -60*60)):  `"9999-12-31T23:59:59-01:00"`,
		time.Date(10_000, 1, 1, 0, 59, 59, 0, time.FixedZone("east", 2*60*60)):  `"9999-12-31T22:59:59Z"`,
		time.Date(10_000, 1, 1, 0, 59, 59, 0, time.FixedZone("west", -2*60*60)): last,
	} {
		h := newHarness(t, debug.Options{})
		run := debug.DurableRun{ID: "a", Began: when, Ended: when}
		h.Durable("shop", debug.Durable{
			Runs: func(context.Context, string, string, int) ([]debug.DurableRun, error) {
				return []debug.DurableRun{run}, nil
			},
			History: func(context.Context, string) (debug.DurableRun, []debug.DurableEvent, error) {
				return run, []debug.DurableEvent{{At: when}}, nil
			},
		})
		if when.After(noon) { // when a job is due
			jobs := cron.New(cron.Job{Name: "never", Next: func(time.Time) time.Time { return when }, Work: plantest.Named("", nil)})
			h.Jobs("main", jobs)
			start(h, jobs.Plan())
		}
		for page, n := range map[string]int{"durable": 1, "durable-run?engine=shop&id=a": 2, "jobs": 0} {
			for _, accept := range []string{"text/html", "application/json"} {
				w := h.request(http.MethodGet, page, http.Header{"Accept": {accept}})
				if w.Code != http.StatusOK || accept != "text/html" && strings.Count(w.Body.String(), want) < n {
					t.Errorf("%s at %v as %s: %d without %s: %s", page, when, accept, w.Code, want, w.Body)
				}
			}
		}
	}
}
