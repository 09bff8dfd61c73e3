package share_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

type answers = []share.Answer[string]

// many returns a load of keys that takes ten milliseconds. It fails if "down" is among the keys, answers "bad" with
// NotFound, and leaves out "short". It records its beginning as load:keys, and its failure or cancel as ~keys.
func (h *harness) many() step.Step[[]string, answers] {
	return step.New(func(as step.Scope, keys []string) step.Next[answers] {
		all := strings.Join(keys, ",")
		h.Recordf("load:%s", all)
		as.SetCancel(func() { h.Recordf("~%s", all) })
		return step.Wait(as, func(done step.Done[answers]) {
			_, _ = h.Deferred(10*ms, func() { finish(done, keys) })
		})
	})
}

func finish(done step.Done[answers], keys []string) {
	var all answers
	for _, k := range keys {
		switch k {
		case "down":
			done.Fail(errDown)
			return
		case "short":
			continue
		case "bad":
			all = append(all, share.Answer[string]{Err: fault.New("NotFound", "")})
		default:
			all = append(all, share.Answer[string]{Value: strings.ToUpper(k)})
		}
	}
	done.Succeed(all)
}

// M7: keys that are asked for in one turn are loaded together, each once.
func TestM7Turn(t *testing.T) {
	h := newHarness(t)
	get := share.NewBatch(share.BatchPolicy{}, h.many()).Get()
	for _, k := range []string{"x", "y", "x"} {
		h.start(k, get, k)
	}
	h.Advance(5 * ms)
	h.start("z", get, "z")
	h.Run()
	h.WantEvents("load:x,y load:z x=X@10 y=Y@10 x=X@10 z=Z@15")

	each := flow.ParEach(9, flow.Of(get))
	run := flow.Start(t.Context(), h.Loop, each, []string{"a", "b", "c"})
	h.Run()
	if all, err := plantest.Result(t, run); err != nil || strings.Join(all, "") != "ABC" {
		t.Errorf("got %v, %v", all, err)
	}
	h.WantEvents("load:a,b,c")
}

// M7: a window collects keys for longer than a turn, and a bound on the keys ends it early.
func TestM7WindowAndMost(t *testing.T) {
	h := newHarness(t)
	get := share.NewBatch(share.BatchPolicy{Window: 20 * ms, Most: 3}, h.many()).Get()
	for _, k := range []string{"a", "b", "a", "c", "d"} {
		h.start(k, get, k)
		h.Advance(4 * ms)
	}
	h.Run()
	h.WantEvents("load:a,b,c a=A@22 b=B@22 a=A@22 c=C@22 load:d d=D@46")
}

// M8: the error of a key fails the askers of that key; the error of a load fails all of its askers.
func TestM8Errors(t *testing.T) {
	h := newHarness(t)
	get := share.NewBatch(share.BatchPolicy{}, h.many()).Get()
	for _, keys := range [][]string{{"x", "bad"}, {"x", "down"}, {"x", "short"}} {
		for _, k := range keys {
			h.start(k, get, k)
		}
		h.Run()
	}
	h.WantEvents("load:x,bad x=X@10 bad!NotFound@10 load:x,down ~x,down x!ConnectError@20 down!ConnectError@20 " +
		"load:x,short x!InternalError@30 short!InternalError@30")
}

// M9: the cancel of one asker doesn't end the load; the cancel of the last one ends it, or keeps it from beginning.
func TestM9Cancel(t *testing.T) {
	h := newHarness(t)
	get := share.NewBatch(share.BatchPolicy{Window: 5 * ms}, h.many()).Get()
	a, b := h.start("a", get, "a"), h.start("b", get, "b")
	h.Advance(ms)
	a.Cancel(nil)
	h.Advance(5 * ms)
	h.WantEvents("a!Cancelled@1 load:a,b")
	b.Cancel(nil)
	h.Run()
	h.WantEvents("b!Cancelled@6 ~a,b")
	c := h.start("c", get, "c")
	h.Advance(ms)
	c.Cancel(nil)
	h.Run()
	h.start("d", get, "d")
	h.Run()
	h.WantEvents("c!Cancelled@16 load:d d=D@31")
}

// M9: the collected keys are loaded for the other askers if the loop of the first one ends.
func TestM9CollectingOutlivesItsLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		echo := step.Map(func(keys []string) answers { return make(answers, len(keys)) })
		get := share.NewBatch(share.BatchPolicy{Window: time.Second}, echo).Get()
		l := tool.Start(tool.Options{})
		first := make(chan error)
		go func() { // on its private loop
			_, err := flow.Run(t.Context(), flow.Timeout(500*ms, get), "x")
			first <- err
		}()
		time.Sleep(100 * ms)
		began := time.Now()
		second := flow.Start(t.Context(), l, get, "x")
		if err := <-first; !errors.Is(err, fault.Timeout) {
			t.Errorf("the first one: %v", err)
		}
		if _, err := second.Wait(t.Context()); err != nil || time.Since(began) != 1400*ms {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if err := l.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestM8Panic(t *testing.T) {
	h := newHarness(t)
	get := share.NewBatch(share.BatchPolicy{}, step.Map(func([]string) answers { panic("no") })).Get()
	h.start("a", get, "a")
	h.start("b", get, "b")
	h.Run()
	h.WantEvents("a!InternalError@0 b!InternalError@0")
}

// M6: a load of a Batch that asks for its own key through a Memo fails.
func TestM6CircleThroughABatch(t *testing.T) {
	h := newHarness(t)
	var m *share.Memo[string, string]
	b := share.NewBatch(share.BatchPolicy{}, flow.ParEach(9, step.New(func(as step.Scope, k string) step.Next[share.Answer[string]] {
		again := flow.Then(m.Get(), step.Map(func(v string) share.Answer[string] { return share.Answer[string]{Value: v} }))
		return step.Into(as, again, k)
	})))
	m = share.NewMemo(share.MemoPolicy{}, b.Get())
	h.start("a", m.Get(), "a")
	h.Run()
	h.WantEvents("a!Deadlock@0")
}

func TestBadBatches(t *testing.T) {
	var none *share.Batch[int, int]
	echo := step.Map(func(keys []int) []share.Answer[int] { return make([]share.Answer[int], len(keys)) })
	for want, p := range map[string]flow.Plan[int, int]{
		"the stage of the load is nil": share.NewBatch[int, int](share.BatchPolicy{}, nil).Get(),
		"Batch: it was not made by":    none.Get(),
		"not made by NewBatch":         new(share.Batch[int, int]).Get(),
		"Window is below zero: -1ns":   share.NewBatch(share.BatchPolicy{Window: -1}, echo).Get(),
		"Most is below zero: -1":       share.NewBatch(share.BatchPolicy{Most: -1}, echo).Get(),
	} {
		if err := p.Err(); !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

func TestM7OnManyLoops(t *testing.T) {
	b := share.NewBatch(share.BatchPolicy{Most: 3}, step.Await(func(_ context.Context, keys []int) ([]share.Answer[string], error) {
		all := make(answers, len(keys))
		for i, k := range keys {
			all[i].Value = strconv.Itoa(k)
		}
		return all, nil
	}))
	askOnManyLoops(t, b.Get(), func(i int) (key int, want string) { return i, strconv.Itoa(i) })
}
