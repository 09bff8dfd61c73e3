package debug_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

var screenshots = flag.String("screenshots", "", "write pictures of the pages into this `folder`, to be looked at")

// shop returns a harness that shows something on each page but those of engines.
func shop(t *testing.T) *harness {
	h := newHarness(t, debug.Options{Control: true})
	door, stock := syncx.NewLimiter(syncx.Limits{Concurrent: 3, MaxQueue: 8, Rate: 100}), syncx.NewMutex(1, 4)
	h.Guard("door", door)
	h.Guard("stock backend", stock)
	h.Guard("unfinished", new(syncx.Throttle))
	h.Loop("this one", h.loop)
	for i := range 2 {
		l := tool.Start(tool.Options{})
		h.Loop(fmt.Sprintf("core %d", i), l)
		t.Cleanup(func() { _ = l.Shutdown(context.Background()) })
	}
	jobs := cron.New(
		cron.Job{Name: "sweep", Period: 2 * time.Second, Work: plantest.Delay("", time.Hour)},
		cron.Job{Name: "report", Spec: "30 3 * * *", Next: cron.Every(24 * time.Hour), Work: plantest.Named("", nil)},
		cron.Job{Name: "mirror", Period: 3 * time.Second, Work: plantest.Named("", errors.New("no space left"))},
	)
	h.Jobs("shop", jobs)
	flow.Start(context.Background(), h.loop, jobs.Plan(), step.Unit{})
	anyway := func(step.Scope, error) step.Next[step.Unit] { return step.Succeed(step.Unit{}) }
	order := flow.Named("order", syncx.Sync(door, flow.Then(plantest.Named("parse", nil), drop(flow.Par3(
		flow.Named("price", flow.Catch(flow.Timeout(time.Hour, plantest.Delay("ask for the price", 40*time.Minute)), anyway)),
		flow.Named("stock", syncx.Sync(stock, plantest.Delay("ask for the stock", 30*time.Minute))),
		flow.Named("reviews", flow.Catch(plantest.Named("find reviews", fault.New("NotFound", "nobody has said anything")), anyway)),
	)))))
	start(h, flow.Named("health", plantest.Named("ping", nil)))
	for i := range 5 {
		h.attrs = []slog.Attr{slog.String("order", fmt.Sprint("A-", 1700+i)), slog.String("tenant", "north")}
		start(h, order)
		h.loop.Advance(1300 * time.Millisecond)
	}
	h.attrs = nil
	photos := stream.Input(func(step.Unit) []step.Unit { return make([]step.Unit, 40) }, stream.Slice[step.Unit]())
	small := stream.Named("resize", stream.Through(photos, stream.Bound{Limit: 4, Buffer: 2}, plantest.Delay("resize one", 300*time.Millisecond)))
	start(h, flow.Named("album", stream.Count(stream.Named("upload", stream.Through(small, stream.Bound{Limit: 2}, plantest.Delay("upload one", 250*time.Millisecond))))))
	h.attrs = []slog.Attr{slog.String("order", "A-1704"), slog.String("tenant", "north")}
	late := flow.Timeout(2*time.Second, plantest.Delay("wait for the bank", time.Hour))
	start(h, flow.Named("payment", flow.Then(plantest.Named("check", nil), flow.Named("charge", late))))
	h.attrs = nil
	sources := flow.Named("quote", flow.Hedge(500*time.Millisecond, plantest.Delay("slow source", 3*time.Second), plantest.Delay("second source", 700*time.Millisecond)))
	start(h, flow.Named("rates", flow.Then(drop(sources), flow.Named("store", retry.Of(
		retry.Policy{Tries: 5, Pause: 400 * time.Millisecond, Factor: 2}, flow.Then(plantest.Delay("write", 200*time.Millisecond), plantest.Named("commit", errBad)))))))
	start(h, flow.Named("import", flow.Call(plantest.Named("read", errors.New("line 7: unexpected end of input\nand more")))))
	h.loop.Advance(3 * time.Second)
	return h
}

var (
	stylesheet = regexp.MustCompile(`(?s)<style>(.*)</style>`)
	element    = regexp.MustCompile(`<[^>]*>`)
)

// Browsers know the allowed style by its hash.
func TestStyleIsTheOneAllowed(t *testing.T) {
	h := newHarness(t, debug.Options{})
	w := h.request(http.MethodGet, "", nil)
	found := stylesheet.FindStringSubmatch(w.Body.String())
	if found == nil {
		t.Fatal("there is no style")
	}
	sum := sha256.Sum256([]byte(found[1]))
	if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(w.Header().Get("Content-Security-Policy"), want) {
		t.Errorf("%s isn't in %s", want, w.Header().Get("Content-Security-Policy"))
	}
}

type says struct {
	name, page string
	texts      []string
}

func (h *harness) shopPages() []says {
	v := h.data("")
	return []says{
		{"index", "index", []string{
			"order", "0/1/par.0/0/0", "suspended for 9.5s", "stock sync 0/1/par.1/0: queued at stock backend for 6.9s", "queued at door", "2s", "1s ago",
			"Timeout: step 0/1 charge took longer than 2s", "unexpected end of input", "value",
		}},
		{"run", fmt.Sprintf("run?id=%d", v.Live[0].ID), []string{"ask for the price", "It has lived for 9.5s", "As a picture", "step start", "goes on since 9.5s, suspended 9.5s"}},
		{"failed", fmt.Sprintf("run?id=%d", v.Ended[0].ID), []string{"wait for the bank", "left      0 \"payment\" group", "timed out", "It ended 1s ago after 2s", "✗", "failed: Timeout"}},
		{"rates", fmt.Sprintf("run?id=%d", v.Live[len(v.Live)-1].ID), []string{"attempt 1 of 5", "attempt 3 of 5", "hedge 0", "hedge 1", "won by 1", "left by Bad"}},
		{"streams", fmt.Sprintf("run?id=%d", v.Live[len(v.Live)-2].ID), []string{"Stream album 0", "resize", "upload", "Numbers of elements at 2.9s"}},
		{"plans", "plans", []string{"order", "health", "payment", "p99"}},
		{"plan", "plan?id=" + fmt.Sprint(slices.IndexFunc(h.plans(), func(name string) bool { return name == "payment" })+1), []string{"how long runs took", "60 min ago", "charge", "1 failed"}},
		{"plan-live", "plan?id=1", []string{"The last hour"}},
		{"steps", "steps", []string{"ask for the stock", "0/1/par.1/0/0", "attempt"}},
		{"found", "index?attr=order%3DA-1703", []string{"1 found of 7", "A-1703"}},
		{"guards", "guards", []string{
			"*syncx.Limiter", "3 inside of 3, 2 queued", "1 inside of 1, 2 queued", "inside for 8.2s", "queued for 4.3s", "not made by NewThrottle",
		}},
		{"jobs", "jobs", []string{"every 2s", "at work since", "30 3 * * *", "no space left", "Run now"}},
		{"loops", "loops", []string{"core 1", "no answer within 250ms"}},
	}
}

func (h *harness) plans() (names []string) {
	var v struct{ Plans []struct{ Name string } }
	h.into("plans", &v)
	for _, p := range v.Plans {
		names = append(names, p.Name)
	}
	return names
}

func (s says) check(t *testing.T, page string) {
	t.Helper()
	text := html.UnescapeString(element.ReplaceAllString(page, ""))
	for _, want := range s.texts {
		if !strings.Contains(text, want) {
			t.Errorf("%q isn't in\n%s", want, text)
		}
	}
}

func TestPagesSay(t *testing.T) {
	h := shop(t)
	for _, p := range h.shopPages() {
		t.Run(p.name, func(t *testing.T) { p.check(t, h.html(p.page)) })
	}
}
