package share_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
)

type shutdowner interface {
	Shutdown(ctx context.Context) error
}

// shutdown shuts l down with the given patience, and returns how long it took.
func shutdown(l shutdowner, patience time.Duration) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	start := time.Now()
	err := l.Shutdown(ctx)
	return time.Since(start), err
}

func lookup(took time.Duration) flow.Plan[string, string] {
	return flow.Then(step.Delay[string](took), step.Map(strings.ToUpper))
}

// M10: requests that were accepted before the shutdown get their answers, although they ask for
// shared work after the shutdown has begun.
func TestM10ServiceAnswersWhatItHasAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loops := tool.NewGroup(3, tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
		prices := share.NewMemo(share.MemoPolicy{Lifetime: time.Minute}, flow.On(loops, lookup(20*ms)))
		stocks := share.NewBatch(share.BatchPolicy{Window: 10 * ms}, step.Map(func(keys []string) []share.Answer[string] {
			all := make([]share.Answer[string], len(keys))
			for i, k := range keys {
				all[i].Value = k + "!"
			}
			return all
		}))
		request := flow.Then(step.Delay[string](30*ms), flow.Then(prices.Get(), flow.Shield(stocks.Get())))
		var runs []*flow.Running[string]
		for range 5 {
			runs = append(runs, flow.Start(t.Context(), loops.Next(), request, "x"))
		}
		time.Sleep(10 * ms)
		took, err := shutdown(loops, 300*ms)
		if err != nil || took != 50*ms {
			t.Errorf("the shutdown took %v: %v", took, err)
		}
		for i, run := range runs {
			if v, err := run.Wait(t.Context()); v != "X!" || err != nil {
				t.Errorf("request %d: %q, %v", i, v, err)
			}
		}
	})
}

// M10: a loop that shuts down accepts loads, also those that loads ask for, and refuses a run that is no load.
func TestM10LoadsOfLoads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := tool.Start(tool.Options{})
		inner := share.NewMemo(share.MemoPolicy{}, lookup(10*ms))
		outer := share.NewMemo(share.MemoPolicy{}, flow.Then(step.Delay[string](10*ms), inner.Get()))
		var refused error
		request := flow.Then(flow.Then(step.Delay[string](10*ms), step.Func(func(as step.Scope, in string) (string, error) {
			_, refused = flow.Start(as.Context(), as.Loop(), inner.Get(), in).Result()
			return in, nil
		})), outer.Get())
		run := flow.Start(t.Context(), l, request, "x")
		took, err := shutdown(l, time.Hour)
		if err != nil || took != 30*ms {
			t.Errorf("the shutdown took %v: %v", took, err)
		}
		if v, err := run.Wait(t.Context()); v != "X" || err != nil {
			t.Errorf("got %q, %v", v, err)
		}
		if !errors.Is(refused, tool.ErrShutdown) {
			t.Errorf("a run that is no load: %v", refused)
		}
	})
}

// M10: a batch that was open when the shutdown began is loaded at the end of its window.
func TestM10BatchThatCollects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := tool.Start(tool.Options{})
		var loads [][]string
		b := share.NewBatch(share.BatchPolicy{Window: 50 * ms}, step.Map(func(keys []string) []share.Answer[string] {
			loads = append(loads, keys)
			return make([]share.Answer[string], len(keys))
		}))
		first := flow.Start(t.Context(), l, b.Get(), "a")
		second := flow.Start(t.Context(), l, flow.Then(step.Delay[string](20*ms), b.Get()), "b")
		time.Sleep(10 * ms)
		if took, err := shutdown(l, time.Hour); err != nil || took != 40*ms {
			t.Errorf("the shutdown took %v: %v", took, err)
		}
		for _, run := range []*flow.Running[string]{first, second} {
			if _, err := run.Wait(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if len(loads) != 1 || len(loads[0]) != 2 {
			t.Errorf("loads: %q", loads)
		}
	})
}

// M10: when patience ends, the loads under way are cancelled with the runs, and no load begins
// any more, not even for a step in a Shield.
func TestM10PatienceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := tool.Start(tool.Options{})
		var begun, asked atomic.Int32
		m := share.NewMemo(share.MemoPolicy{}, flow.Then(
			step.Map(func(in string) string { begun.Add(1); return in }), step.Delay[string](time.Hour)))
		plain := flow.Start(t.Context(), l, flow.Then(step.Delay[string](10*ms), m.Get()), "x")
		var last error
		again := retry.Of(retry.Policy{Tries: 3, Pause: ms, If: func(error) bool { return true }}, flow.Catch(
			flow.Then(step.Map(func(in string) string { asked.Add(1); return in }), m.Get()),
			func(_ step.Scope, err error) step.Next[string] { last = err; return step.Fail[string](err) }))
		shielded := flow.Start(t.Context(), l, flow.Shield(again), "y")
		took, err := shutdown(l, 100*ms)
		if !errors.Is(err, tool.ErrShutdown) || errors.Is(err, tool.ErrStuck) || took < 100*ms || took > 110*ms {
			t.Errorf("the shutdown took %v: %v", took, err)
		}
		if _, err := plain.Wait(t.Context()); !errors.Is(err, fault.Cancelled) || !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("the asker: %v", err)
		}
		if _, err := shielded.Wait(t.Context()); !errors.Is(err, fault.Cancelled) || !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("the shielded asker: %v", err)
		}
		if !errors.Is(last, tool.ErrShutdown) {
			t.Errorf("its last attempt: %v", last)
		}
		if begun.Load() != 2 || asked.Load() != 3 {
			t.Errorf("%d loads have begun, the shielded step has asked %d times", begun.Load(), asked.Load())
		}
	})
}

// M5: the private loop of a range ends with the range. A load that runs there begins again on the loop of
// another asker; without another asker it has ended when the range is left.
func TestM5LoadOutlivesARange(t *testing.T) {
	words := flow.NewOutput[string]("words")
	ranges := map[string]func(ctx context.Context, load step.Step[string, string], body func()) error{
		"over a stream": func(ctx context.Context, load step.Step[string, string], body func()) error {
			s := stream.Through(stream.Slice[string](), stream.Bound{Limit: 3}, load)
			for _, err := range stream.All(ctx, s, []string{"fast", "alone", "shared"}) {
				body()
				return err
			}
			return nil
		},
		"over an output": func(ctx context.Context, load step.Step[string, string], body func()) error {
			all := flow.ParEach(3, flow.Then(load, words.Emit()))
			for range flow.RunOutput(ctx, words, all, []string{"fast", "alone", "shared"}).All() {
				body()
				break
			}
			return nil
		},
	}
	for name, over := range ranges {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := tool.Start(tool.Options{})
				var begun, ended atomic.Int32
				m := share.NewMemo(share.MemoPolicy{}, step.New(func(as step.Scope, in string) step.Next[string] {
					begun.Add(1)
					step.StackCleanup(as, func(*int) { ended.Add(1) })
					return step.Into(as, lookup(20*ms), in)
				}))
				load := step.New(func(as step.Scope, in string) step.Next[string] {
					if in == "fast" {
						return step.Into(as, step.Delay[string](ms), in)
					}
					return step.Into(as, m.Get(), in)
				})
				var other *flow.Running[string]
				err := over(t.Context(), load, func() {
					other = flow.Start(t.Context(), l, m.Get(), "shared")
					synctest.Wait()
				})
				if n := ended.Load(); n != 2 || err != nil {
					t.Errorf("%d loads have ended with the range, %v", n, err)
				}
				if v, err := other.Wait(t.Context()); v != "SHARED" || err != nil {
					t.Errorf("the other asker: %q, %v", v, err)
				}
				if n := begun.Load(); n != 3 {
					t.Errorf("%d loads have begun", n)
				}
				if err := l.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
