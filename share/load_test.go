package share_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// M5: if the loop of a load ends, the load begins again on the loop of another asker.
func TestM5LoadOutlivesItsLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var loads atomic.Int32
		m := share.NewMemo(share.MemoPolicy{}, flow.Then(
			step.Map(func(k string) string { loads.Add(1); return k }), step.Delay[string](time.Second)))
		l := tool.Start(tool.Options{})
		first := make(chan error)
		go func() { // on its private loop
			_, err := flow.Run(t.Context(), flow.Timeout(500*ms, m.Get()), "x")
			first <- err
		}()
		time.Sleep(100 * ms)
		second := flow.Start(t.Context(), l, m.Get(), "x")
		if err := <-first; !errors.Is(err, fault.Timeout) {
			t.Errorf("the first one: %v", err)
		}
		v, err := second.Wait(t.Context())
		if v != "x" || err != nil || loads.Load() != 2 {
			t.Errorf("got %q, %v after %d loads", v, err, loads.Load())
		}
		if err := l.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// M5: a load whose loop goes on has failed by itself, though its error has that of the shutdown of another loop. It doesn't
// begin again on the loop of another asker.
func TestM5LoadFailsByItself(t *testing.T) {
	secondary := fault.New("Bad", "")
	secondary.Secondary = []error{tool.ErrShutdown}
	for name, c := range map[string]struct {
		err     error
		patient bool // the loop of the load stays
		loads   int32
		drains  bool // that loop waits for nothing but the load
	}{
		"the error":   {tool.ErrShutdown, true, 1, false},
		"cause":       {fault.Wrap("Bad", "", tool.ErrShutdown), true, 1, false},
		"secondary":   {secondary, true, 1, false},
		"drains":      {tool.ErrShutdown, true, 1, true},
		"no patience": {nil, false, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var loads atomic.Int32
				ended := errors.New("ended")
				own, other := tool.Start(tool.Options{}), tool.Start(tool.Options{})
				m := share.NewMemo(share.MemoPolicy{}, flow.Shield(flow.Then(step.Delay[string](50*ms), step.Func(func(step.Scope, string) (string, error) {
					if loads.Add(1) > 1 {
						return "", ended
					}
					return "", c.err
				}))))
				first := flow.Start(t.Context(), own, m.Get(), "x")
				synctest.Wait()
				asks := flow.Start(t.Context(), other, m.Get(), "x")
				synctest.Wait()
				if c.drains {
					first.Cancel(nil)
					synctest.Wait()
					_, _ = shutdown(own, time.Second)
				}
				if c.patient {
					time.Sleep(60 * ms)
				}
				_, _ = shutdown(own, 10*ms)
				_, err := asks.Wait(t.Context())
				if loads.Load() != c.loads || c.loads == 1 && !errors.Is(err, c.err) || c.loads == 2 && !errors.Is(err, ended) {
					t.Errorf("%v after %d loads", err, loads.Load())
				}
				_, _ = shutdown(other, 10*ms)
			})
		})
	}
}

func TestM5NoOtherLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := tool.Start(tool.Options{})
		m := share.NewMemo(share.MemoPolicy{}, step.Delay[string](time.Hour))
		run := flow.Start(t.Context(), l, m.Get(), "x")
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_ = l.Shutdown(ctx)
		if _, err := run.Wait(t.Context()); !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("got %v", err)
		}
	})
}

// M5: the end of a loop is no error of the load, so it isn't kept.
func TestM5EndOfALoopIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := tool.Start(tool.Options{})
		m := share.NewMemo(share.MemoPolicy{Lifetime: -1, KeepErrors: func(error) bool { return true }}, lookup(time.Hour))
		run := flow.Start(t.Context(), l, flow.Shield(m.Get()), "x")
		synctest.Wait()
		_, _ = shutdown(l, time.Second)
		if _, err := run.Wait(t.Context()); !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("got %v", err)
		}
		if v, err := flow.Run(t.Context(), m.Get(), "x"); v != "X" || err != nil {
			t.Errorf("on another loop: %q, %v", v, err)
		}
	})
}

// M5: if the loops of all other askers are out of patience, these askers fail when the loop of the load ends.
func TestM5AllLoopsRefuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := share.NewMemo(share.MemoPolicy{}, step.Delay[string](time.Hour))
		go func() { // on a private loop
			_, _ = flow.Run(t.Context(), flow.Timeout(500*ms, m.Get()), "x")
		}()
		time.Sleep(100 * ms)
		var runs []*flow.Running[string]
		var all sync.WaitGroup
		for range 3 {
			l := tool.Start(tool.Options{})
			for range 2 {
				runs = append(runs, flow.Start(t.Context(), l, flow.Shield(m.Get()), "x"))
			}
			synctest.Wait()
			all.Go(func() {
				if took, err := shutdown(l, 100*ms); !errors.Is(err, tool.ErrShutdown) || took != 400*ms {
					t.Errorf("the shutdown took %v: %v", took, err)
				}
			})
		}
		all.Wait()
		for _, run := range runs {
			if _, err := run.Result(); !errors.Is(err, tool.ErrShutdown) {
				t.Errorf("got %v", err)
			}
		}
	})
}

// Observers see a load as a run. It has the values of the asker's context.
func TestLoadIsARun(t *testing.T) {
	type key struct{}
	h := newHarness(t)
	m := share.NewMemo(share.MemoPolicy{}, flow.Named("fetch", step.Func(func(as step.Scope, k string) (string, error) {
		return fmt.Sprint(as.Context().Value(key{}), k), nil
	})))
	rec := observe.NewRecorder(100)
	ctx := observe.With(context.WithValue(t.Context(), key{}, "value of "), rec)
	run := flow.Start(ctx, h.Loop, flow.Named("ask", m.Get()), "x")
	h.Run()
	if v, err := plantest.Result(t, run); v != "value of x" || err != nil {
		t.Errorf("got %q, %v", v, err)
	}
	runs := rec.Runs()
	if len(runs) != 2 || runs[1].Run.Parent != runs[0].Run.ID || runs[1].Entries[0].Name != "fetch" || runs[0].Entries[0].StepKind != "memo" {
		t.Errorf("%+v", runs)
	}
}

func TestM1LoadHasNoLimitOfItsAskers(t *testing.T) {
	h := newHarness(t)
	m := share.NewMemo(share.MemoPolicy{}, step.Func(func(as step.Scope, k string) (string, error) {
		if at, limited := as.Context().Deadline(); limited {
			t.Errorf("a deadline, %v", at)
		}
		return k, nil
	}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	run := flow.Start(ctx, h.Loop, flow.Timeout(time.Hour, m.Get()), "x")
	h.Run()
	if v, err := plantest.Result(t, run); v != "x" || err != nil {
		t.Errorf("got %q, %v", v, err)
	}
}

// Askers get the value in the order in which they asked, also if they are too many to leave the line at a time.
func TestM1ManyAskers(t *testing.T) {
	h := newHarness(t)
	get := share.NewMemo(share.MemoPolicy{}, h.slowLoad()).Get()
	want := "load:x"
	for i := range 40 {
		name := strconv.Itoa(i)
		run := h.start(name, get, "x")
		if i%4 == 3 { // every fourth asker leaves
			h.Advance(0)
			run.Cancel(nil)
			h.Advance(0)
			h.WantEvents(want + " " + name + "!Cancelled@0")
			want = ""
		}
	}
	h.Run()
	for i := range 40 {
		if i%4 != 3 {
			want += " " + strconv.Itoa(i) + "=X@10"
		}
	}
	h.WantEvents(strings.TrimSpace(want))
}

// To ask a Memo takes at most one allocation more than a plain step, for one asker and for ten.
func TestLoadAllocatesLittle(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates")
	}
	l := tool.NewManual(tool.Options{})
	load := step.Map(func(k int) int { return k })
	ask := func(p flow.Plan[int, int], askers int) float64 {
		return testing.AllocsPerRun(100, func() {
			for range askers {
				flow.Start(context.Background(), l, p, 1)
			}
			for l.Iterate() {
			}
		})
	}
	for _, askers := range []int{1, 10} {
		plain := ask(flow.Of(load), askers)
		if got := ask(share.NewMemo(share.MemoPolicy{}, load).Get(), askers); got > plain+1 {
			t.Errorf("%v allocations of %d askers, with a plain step %v", got, askers, plain)
		}
	}
}
