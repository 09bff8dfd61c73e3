package laws_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

type watched struct {
	name  string
	guard interface {
		syncx.Guard
		Inside() int
		Queued() int
	}
	places int64 // largest number inside at once; 0 for no bound
	rate   int   // largest number of entries in a period; 0 for no bound
	period time.Duration

	inside  atomic.Int64
	most    atomic.Int64 // largest number so far inside at once
	entered atomic.Int64

	mu    sync.Mutex
	spans []span // entries of this round
}

// span bounds the time of an entry, which was between these two.
type span struct{ asked, called time.Duration }

func (w *watched) enter(s span) {
	n := w.inside.Add(1)
	for most := w.most.Load(); n > most && !w.most.CompareAndSwap(most, n); most = w.most.Load() {
	}
	w.entered.Add(1)
	if w.rate > 0 {
		w.mu.Lock()
		w.spans = append(w.spans, s)
		w.mu.Unlock()
	}
}

// rested returns what is wrong with the guard after the runs of a round have ended.
func (w *watched) rested() error {
	if in, queued := w.guard.Inside(), w.guard.Queued(); in != 0 || queued != 0 || w.inside.Load() != 0 {
		return fmt.Errorf("%s: %d inside, %d queued when all is over; of the bodies %d haven't left", w.name, in, queued, w.inside.Load())
	}
	if most := w.most.Load(); w.places > 0 && most > w.places {
		return fmt.Errorf("%s: %d were inside at once, %d may be", w.name, most, w.places)
	}
	return w.hurried()
}

// hurried looks for a stretch of time with more entries than its windows allow. A stretch of n periods touches at most n+1
// windows (G3).
func (w *watched) hurried() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortFunc(w.spans, func(a, b span) int { return cmp.Compare(a.asked, b.asked) })
	for _, n := range []int{1, 4, 16} {
		for i, first := range w.spans {
			end, made := first.asked+time.Duration(n)*w.period, 0
			for _, s := range w.spans[i:] {
				if s.asked >= end {
					break
				}
				if s.called < end {
					made++
				}
			}
			if made > (n+1)*w.rate {
				return fmt.Errorf("%s: %d entries in %v, %d in %v are allowed", w.name, made, time.Duration(n)*w.period, w.rate, w.period)
			}
		}
	}
	w.spans = w.spans[:0]
	return nil
}

func (s *soaking) section(w *watched, body dice) dice {
	type asking struct {
		*rand.Rand
		at time.Duration
	}
	ask := step.Map(func(r *rand.Rand) asking { return asking{r, time.Since(s.began)} })
	enter := step.New(func(as step.Scope, a asking) step.Next[*rand.Rand] {
		w.enter(span{a.at, time.Since(s.began)})
		s.begun.Add(1)
		step.StackCleanup(as, func(*int) {
			w.inside.Add(-1)
			s.cleaned.Add(1)
		})
		return step.Into(as, body, a.Rand)
	})
	return flow.Then(ask, syncx.Sync(w.guard, flow.Catch(enter, s.answer)))
}

// permits checks that as many runs as there are places get into the guard, and no more, while nobody else uses it.
func (w *watched) permits(ctx context.Context, t *testing.T, loop tool.Tool) {
	if w.places == 0 {
		return
	}
	in := make(chan struct{}, w.places+1)
	stay := step.New(func(as step.Scope, _ int) step.Next[int] {
		in <- struct{}{}
		return step.Wait[int](as, nil)
	})
	var all []*flow.Running[int]
	start := func() { all = append(all, flow.Start(ctx, loop, syncx.Sync(w.guard, stay), 0)) }
	for n := range w.places {
		start()
		select {
		case <-in:
		case <-ctx.Done():
			t.Fatalf("%s: %d get in, there are %d places", w.name, n, w.places)
		}
	}
	start()
	asked := make(chan struct{})
	if _, err := loop.Immediate(func() { close(asked) }); err != nil {
		t.Fatal(err)
	}
	<-asked
	if got, queued := w.guard.Inside(), w.guard.Queued(); got != int(w.places) || queued != 1 {
		t.Fatalf("%s: %d inside and %d queued, want %d and 1", w.name, got, queued, w.places)
	}
	for _, run := range slices.Backward(all) {
		run.Cancel(nil)
		if _, err := run.Wait(ctx); ctx.Err() != nil {
			t.Fatalf("%s: a run doesn't end: %v", w.name, err)
		}
	}
}
