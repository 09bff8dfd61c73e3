package syncx_test

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/internal/seedtest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestMain(m *testing.M) {
	seedtest.Fix()
	leaktest.Main(m)
}

const ms = time.Millisecond

type stringStep = step.Step[string, string]

type run = *flow.Running[string]

type harness struct {
	*plantest.Harness
	t *testing.T
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	return &harness{plantest.NewHarness(t), t}
}

func (h *harness) start(name string, s stringStep) run {
	return flow.Start(context.Background(), h.Loop, s, name)
}

// recordedDelay notes +name, waits for d and notes -name; ~name if it is cancelled.
func (h *harness) recordedDelay(d time.Duration) stringStep {
	return step.New(func(as step.Scope, name string) step.Next[string] {
		h.Recordf("+%s", name)
		as.SetCancel(func() { h.Recordf("~%s", name) })
		return step.Wait(as, func(done step.Done[string]) {
			_, err := h.Deferred(d, func() {
				if done.Valid() {
					h.Recordf("-%s", name)
				}
				done.Succeed(name)
			})
			if err != nil {
				h.t.Error(err)
			}
		})
	})
}

// mark notes format, in which %s stands for the input, and returns the input.
func (h *harness) mark(format string) stringStep {
	return step.Map(func(name string) string {
		if strings.Contains(format, "%") {
			h.Recordf(format, name)
		} else {
			h.Recordf("%s", format)
		}
		return name
	})
}

var errBody = errors.New("the body failed")

// recordError notes an error of s as prefix!CODE.
func (h *harness) recordError(prefix string, s stringStep) stringStep {
	return flow.Catch(s, func(_ step.Scope, err error) step.Next[string] {
		h.Recordf("%s!%s", prefix, fault.CodeOf(err))
		return step.Unwind[string]()
	})
}

type recordingGuard struct {
	syncx.Guard
	h *harness
}

func (g *recordingGuard) Enter(t *syncx.Ticket) (bool, error) {
	in, err := g.Guard.Enter(t)
	switch {
	case err != nil:
		g.h.Recordf("rejected")
	case in:
		g.h.Recordf("enter")
	default:
		g.h.Recordf("queue")
	}
	return in, err
}

func (g *recordingGuard) Leave(t *syncx.Ticket) {
	g.h.Recordf("leave")
	g.Guard.Leave(t)
}

func (g *recordingGuard) Withdraw(t *syncx.Ticket) {
	g.h.Recordf("withdraw")
	g.Guard.Withdraw(t)
}

// runConcurrently runs p 200 times on each of eight goroutines, with flow.Run. ended gets the error of each run; several
// goroutines call it.
func runConcurrently(t *testing.T, p step.Step[int, int], ended func(err error)) {
	t.Helper()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := range 200 {
				_, err := flow.Run(t.Context(), p, n)
				ended(err)
			}
		})
	}
	all.Wait()
}

type stats interface {
	Inside() int
	Queued() int
}

func wantStats(t *testing.T, g stats, inside, queued int) {
	t.Helper()
	if g.Inside() != inside || g.Queued() != queued {
		t.Errorf("%d inside, %d queued; want %d, %d", g.Inside(), g.Queued(), inside, queued)
	}
}

func wantResult(t *testing.T, r run, value string) {
	t.Helper()
	if got, err := r.Result(); err != nil || got != value {
		t.Errorf("result %q, %v; want %q", got, err, value)
	}
}

func wantErr(t *testing.T, r run, want error) {
	t.Helper()
	if _, err := r.Result(); !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func wantRefused(t *testing.T, g syncx.Guard, want string) {
	t.Helper()
	err := syncx.Sync(g, plantest.Fail[string, string](nil)).Err()
	if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v", want, err)
	}
}

// belowZero gives policies in which one integer field is below zero, each such field but MaxQueue in turn, and what is wrong
// with them.
func belowZero[Policy any]() iter.Seq2[Policy, string] {
	return func(yield func(Policy, string) bool) {
		typ := reflect.TypeFor[Policy]()
		for i := range typ.NumField() {
			var p Policy
			f := reflect.ValueOf(&p).Elem().Field(i)
			if name := typ.Field(i).Name; f.CanInt() && name != "MaxQueue" {
				f.SetInt(-1)
				if !yield(p, name+" is below zero") {
					return
				}
			}
		}
	}
}
