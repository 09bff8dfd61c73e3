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

// str is a step of the flows in these tests, whose values are their names.
type str = step.Step[string, string]

type run = *flow.Running[string]

// rig is a virtual loop with a log of what happened on it, see plantest.Rig.
type rig struct {
	*plantest.Rig
	t *testing.T
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return &rig{plantest.NewRig(t), t}
}

func (r *rig) note(format string, args ...any) { r.Note(format, args...) }

func (r *rig) want(events string) {
	r.t.Helper()
	r.Want(events)
}

func (r *rig) start(name string, s str) run {
	return flow.Start(context.Background(), r.Loop, s, name)
}

// stay returns a step that notes +name, waits for d and notes -name; ~name if it is cancelled.
func (r *rig) stay(d time.Duration) str {
	return step.New(func(as step.Scope, name string) step.Next[string] {
		r.note("+%s", name)
		as.SetCancel(func() { r.note("~%s", name) })
		return step.Wait(as, func(done step.Done[string]) {
			_, err := r.Deferred(d, func() {
				if done.Valid() {
					r.note("-%s", name)
				}
				done.Succeed(name)
			})
			if err != nil {
				r.t.Error(err)
			}
		})
	})
}

// mark returns a step that notes the text and returns its input.
func (r *rig) mark(format string) str {
	return step.Map(func(name string) string {
		if strings.Contains(format, "%") {
			r.note(format, name)
		} else {
			r.note("%s", format)
		}
		return name
	})
}

// fails returns a step that fails with err.
func fails(err error) str {
	return step.Func(func(step.Scope, string) (string, error) { return "", err })
}

var errBody = errors.New("the body failed")

// caught notes the code of an error of s as !CODE, and doesn't recover.
func (r *rig) caught(prefix string, s str) str {
	return flow.Catch(s, func(_ step.Scope, err error) step.Next[string] {
		r.note("%s!%s", prefix, fault.CodeOf(err))
		return step.Unwind[string]()
	})
}

// noting is a guard around another one that notes the calls of its methods.
type noting struct {
	syncx.Guard
	r *rig
}

func (g *noting) Enter(t *syncx.Ticket) (bool, error) {
	in, err := g.Guard.Enter(t)
	switch {
	case err != nil:
		g.r.note("rejected")
	case in:
		g.r.note("enter")
	default:
		g.r.note("queue")
	}
	return in, err
}

func (g *noting) Leave(t *syncx.Ticket) {
	g.r.note("leave")
	g.Guard.Leave(t)
}

func (g *noting) Withdraw(t *syncx.Ticket) {
	g.r.note("withdraw")
	g.Guard.Withdraw(t)
}

// storm runs p on eight private loops at the same time, 200 times on each, and calls ended with the error of each run.
// ended is called by several goroutines.
func storm(t *testing.T, p step.Step[int, int], ended func(err error)) {
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

// stats are the methods that all guards of this package have.
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

// wantRefused checks that a plan with g can't be run, with an error that has that text.
func wantRefused(t *testing.T, g syncx.Guard, want string) {
	t.Helper()
	err := syncx.Sync(g, fails(nil)).Err()
	if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v", want, err)
	}
}

// belowZero gives policies with one number or duration below zero, for each but MaxQueue, and what is wrong with them.
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
