package share_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// M1: runs that ask for a key while it is being loaded share the load; later ones don't.
func TestM1OneLoadForAll(t *testing.T) {
	h := newHarness(t)
	get := share.NewMemo(share.MemoPolicy{}, h.slowLoad()).Get()
	h.start("a", get, "x")
	h.Advance(5 * ms)
	h.start("b", get, "x")
	h.start("c", get, "y")
	h.Run()
	h.start("d", get, "x")
	h.Run()
	h.WantEvents("load:x load:y a=X@10 b=X@10 c=Y@15 load:x d=X@25")
}

// M2: only the cancel of the last asker ends the load; the next asker begins a new one.
func TestM2Cancel(t *testing.T) {
	h := newHarness(t)
	m := share.NewMemo(share.MemoPolicy{Lifetime: time.Hour}, h.slowLoad())
	a := h.start("a", m.Get(), "x")
	b := h.start("b", m.Get(), "x")
	h.Advance(5 * ms)
	a.Cancel(nil)
	h.Advance(ms)
	h.WantEvents("load:x a!Cancelled@5")
	b.Cancel(nil)
	h.start("c", m.Get(), "x")
	h.Advance(ms)
	h.WantEvents("b!Cancelled@6 ~x load:x")
	h.Run()
	h.WantEvents("c=X@16")

	d := h.start("d", m.Get(), "y")
	h.start("e", m.Get(), "y")
	h.Advance(5 * ms)
	d.Cancel(nil)
	h.Run()
	h.WantEvents("load:y d!Cancelled@21 e=Y@26")
}

// M2, C3: a limit ends the wait of its asker, and the load only if nobody else waits for it.
func TestM2Timeout(t *testing.T) {
	h := newHarness(t)
	m := share.NewMemo(share.MemoPolicy{}, h.slowLoad())
	h.start("a", flow.Timeout(5*ms, m.Get()), "x")
	h.start("b", m.Get(), "x")
	h.Run()
	h.WantEvents("load:x a!Timeout@5 b=X@10")
	h.start("c", flow.Timeout(5*ms, m.Get()), "x")
	h.Run()
	h.WantEvents("load:x c!Timeout@15 ~x")
}

// M3: a value is kept for its lifetime; errors are kept only if the policy says so.
func TestM3Lifetime(t *testing.T) {
	h := newHarness(t)
	get := share.NewMemo(share.MemoPolicy{Lifetime: time.Second}, h.slowLoad()).Get()
	for _, wait := range []time.Duration{999 * ms, ms, 0} {
		h.start("a", get, "x")
		h.Run()
		h.Advance(wait)
	}
	h.WantEvents("load:x a=X@10 a=X@1009 load:x a=X@1020")
	h.start("a", get, "bad")
	h.Run()
	h.start("a", get, "bad")
	h.Run()
	h.WantEvents("load:bad ~bad a!ConnectError@1030 load:bad ~bad a!ConnectError@1040")

	get = share.NewMemo(share.MemoPolicy{Lifetime: -1, KeepErrors: func(err error) bool {
		return fault.CodeOf(err) == fault.ConnectError
	}}, h.slowLoad()).Get()
	for range 2 {
		h.start("a", get, "bad")
		h.Run()
		h.Advance(1000 * time.Hour)
	}
	h.WantEvents("load:bad ~bad a!ConnectError@1050 a!ConnectError@3600001050")
}

// M3: a lifetime is measured correctly by loops whose clocks differ by hours.
func TestM3LifetimeOnTwoLoops(t *testing.T) {
	ahead, behind := newHarness(t), newHarness(t)
	loads := 0
	m := share.NewMemo(share.MemoPolicy{Lifetime: time.Hour}, step.Map(func(k string) string { loads++; return k }))
	ask := func(on *harness, want int) {
		t.Helper()
		on.start("a", m.Get(), "x")
		if on.Run(); loads != want {
			t.Errorf("%d loads, want %d", loads, want)
		}
	}
	ask(behind, 1)
	behind.Advance(59 * time.Minute)
	ask(behind, 1)
	ahead.Advance(10 * time.Hour)
	ask(ahead, 2)
	m.Forget("x")
	ask(behind, 3)
	ahead.Advance(time.Hour)
	behind.Advance(59 * time.Minute)
	ask(behind, 3)
	behind.Advance(time.Minute)
	ask(behind, 4)
}

// M3: if there are too many values, the least recently asked for is dropped.
func TestM3Size(t *testing.T) {
	h := newHarness(t)
	m := share.NewMemo(share.MemoPolicy{Lifetime: -1, Size: 2}, step.Map(func(k string) string {
		h.Recordf("load:%s", k)
		return k
	}))
	for k := range strings.SplitSeq("abacab", "") {
		h.start("", m.Get(), k)
		h.Run()
	}
	h.WantEvents("load:a =a@0 load:b =b@0 =a@0 load:c =c@0 =a@0 load:b =b@0")
	if m.Len() != 2 {
		t.Errorf("%d are kept", m.Len())
	}
}

// M3: values whose lifetime is over are dropped although nobody asks for them again.
func TestM3ExpiredValuesAreDropped(t *testing.T) {
	for size, left := range map[int]int{-1: 3, 1000: 4} { // with a bound value 1 stays: younger ones were asked for before it
		h := newHarness(t)
		fails := step.Func(func(_ step.Scope, k int) (int, error) {
			if k < 0 {
				return 0, errDown
			}
			return k, nil
		})
		m := share.NewMemo(share.MemoPolicy{Lifetime: time.Second, Size: size}, fails)
		ask := func(keys ...int) {
			for _, k := range keys {
				flow.Start(t.Context(), h.Loop, m.Get(), k)
				h.Run()
			}
		}
		ask(1, 2, 3)
		h.Advance(600 * ms)
		ask(4, 5, 1) // finding a value makes it no younger
		h.Advance(399 * ms)
		ask(6)
		if m.Len() != 6 {
			t.Errorf("size %d: %d are kept, want 6: none is too old", size, m.Len())
		}
		h.Advance(ms)
		ask(-1) // its load fails
		if m.Len() != left {
			t.Errorf("size %d: %d are kept, want %d", size, m.Len(), left)
		}
		h.Advance(2 * time.Second)
		ask(7)
		if m.Len() != 1 {
			t.Errorf("size %d: %d are kept, want 1", size, m.Len())
		}
	}
}

// M3: Forget drops a value; if its load is under way, the value isn't kept when the load ends.
func TestM3Forget(t *testing.T) {
	h := newHarness(t)
	m := share.NewMemo(share.MemoPolicy{Lifetime: -1}, h.slowLoad())
	m.Forget("x")
	h.start("a", m.Get(), "x")
	h.Run()
	m.Forget("x")
	h.start("b", m.Get(), "x")
	h.Advance(5 * ms)
	m.Forget("x")
	c := h.start("c", m.Get(), "x")
	h.Run()
	h.WantEvents("load:x a=X@10 load:x load:x b=X@20 c=X@25")
	if _, err := plantest.Result(t, c); err != nil || m.Len() != 1 {
		t.Errorf("%v, %d are kept", err, m.Len())
	}
	d := h.start("d", m.Get(), "y")
	h.Advance(ms)
	m.Forget("y")
	h.start("e", m.Get(), "y")
	h.Advance(ms)
	d.Cancel(nil)
	h.Advance(ms)
	h.start("f", m.Get(), "y")
	h.Run()
	h.WantEvents("load:y load:y d!Cancelled@27 ~y e=Y@36 f=Y@36")
	h.start("g", m.Get(), "z")
	h.Advance(ms)
	m.Forget("z")
	if h.Run(); m.Len() != 2 { // x and y
		t.Errorf("%d are kept, want 2", m.Len())
	}
}

// M4, E4: a panic fails all askers, and is never kept.
func TestM4Panic(t *testing.T) {
	h := newHarness(t)
	panics := flow.Then(step.Delay[string](ms), step.Map(func(string) string { panic("no") }))
	m := share.NewMemo(share.MemoPolicy{Lifetime: -1, KeepErrors: func(error) bool { return true }}, panics)
	var runs []*flow.Running[string]
	for range 3 {
		runs = append(runs, flow.Start(t.Context(), h.Loop, m.Get(), "x"))
	}
	h.Run()
	for _, run := range runs {
		_, err := plantest.Result(t, run)
		if p, ok := errors.AsType[*fault.Panic](err); !ok || p.Value != "no" {
			t.Errorf("got %v", err)
		}
	}
	if m.Len() != 0 {
		t.Error("it is kept")
	}
}

// M4, E4: if KeepErrors panics or ends its goroutine, nothing is kept, and the asker gets the error of the load.
func TestM4PolicyBreaksOff(t *testing.T) {
	for reason, off := range map[string]func(){"panic": func() { panic("no") }, "Goexit": runtime.Goexit} {
		t.Run(reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reports := 0
				l := tool.Start(tool.Options{OnError: func(error) { reports++ }})
				m := share.NewMemo(share.MemoPolicy{Lifetime: -1, KeepErrors: func(error) bool { off(); return true }},
					step.Func(func(step.Scope, string) (string, error) { return "", errDown }))
				_, err := flow.Start(t.Context(), l, m.Get(), "x").Wait(t.Context())
				if !errors.Is(err, errDown) || m.Len() != 0 {
					t.Errorf("%v, %d are kept", err, m.Len())
				}
				if err := l.Shutdown(t.Context()); err != nil || reports != 1 {
					t.Errorf("%v, %d reports", err, reports)
				}
			})
		})
	}
}

// M6: a load that would wait for itself fails, also if it would do that through loads that other runs have begun.
func TestM6Circle(t *testing.T) {
	h := newHarness(t)
	var m *share.Memo[string, string]
	next := map[string]string{"a": "b", "b": "c", "c": "a", "d": "d", "e": "a"}
	m = share.NewMemo(share.MemoPolicy{}, step.New(func(as step.Scope, k string) step.Next[string] {
		return step.Into(as, flow.Then(step.Delay[string](ms), m.Get()), next[k])
	}))
	for _, k := range []string{"d", "c", "a", "b", "e"} {
		h.start(k, m.Get(), k)
	}
	h.Run()
	h.WantEvents("d!Deadlock@1 b!Deadlock@1 a!Deadlock@1 c!Deadlock@1 e!Deadlock@1")
}

func TestBadMemos(t *testing.T) {
	var none *share.Memo[int, int]
	for want, p := range map[string]flow.Plan[int, int]{
		"the stage of the load is nil": share.NewMemo[int, int](share.MemoPolicy{}, nil).Get(),
		"Memo: it was not made by":     none.Get(),
		"not made by NewMemo":          new(share.Memo[int, int]).Get(),
		"can't be run":                 share.NewMemo(share.MemoPolicy{}, plantest.Refused[int, int]()).Get(),
	} {
		if err := p.Err(); !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

// A key that no map finds fails its step.
func TestM4KeysThatNoMapFinds(t *testing.T) {
	one := step.Map(func(any) int { return 1 })
	all := step.Map(func(keys []any) []share.Answer[int] { return make([]share.Answer[int], len(keys)) })
	m := share.NewMemo(share.MemoPolicy{Lifetime: time.Hour, Size: 1}, one)
	for name, get := range map[string]flow.Plan[any, int]{
		"Memo": m.Get(), "Batch": share.NewBatch(share.BatchPolicy{}, all).Get(),
	} {
		for _, c := range []struct {
			key  any
			want fault.Code
		}{{[]int{1}, fault.InternalError}, {math.NaN(), fault.InvalidRequest}, {math.NaN(), fault.InvalidRequest}, {"key", ""}} {
			if _, err := plantest.Run(t, get, c.key); fault.CodeOf(err) != c.want {
				t.Errorf("%s of %v: %v", name, c.key, err)
			}
		}
	}
	if m.Len() != 1 {
		t.Errorf("%d values are kept", m.Len())
	}
	type named struct{ id any }
	for _, k := range []any{[]int{1}, named{[]int{1}}, [1]any{map[int]int{}}, math.NaN(), named{1}, nil} {
		if m.Forget(k); m.Len() != 1 {
			t.Errorf("%v is not what is kept", k)
		}
	}
	if m.Forget("key"); m.Len() != 0 {
		t.Error("it is kept")
	}
}

func TestM1OnManyLoops(t *testing.T) {
	m := share.NewMemo(share.MemoPolicy{Lifetime: time.Millisecond, Size: 1}, step.Await(func(_ context.Context, k int) (int, error) {
		runtime.Gosched()
		return k, nil
	}))
	askOnManyLoops(t, m.Get(), func(int) (key, want int) { return 1, 1 })
}

func TestKeptValueAllocatesNothing(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates")
	}
	l := tooltest.New()
	get := share.NewMemo(share.MemoPolicy{Lifetime: time.Hour}, step.Map(func(k int) int { return k })).Get()
	ask := func(p flow.Plan[int, int]) func() {
		return func() { flow.Start(t.Context(), l, p, 1); l.Run() }
	}
	ask(get)()
	plain := testing.AllocsPerRun(100, ask(flow.Of(step.Map(func(k int) int { return k }))))
	if got := testing.AllocsPerRun(100, ask(get)); got > plain {
		t.Errorf("%v allocations, a plain step has %v", got, plain)
	}
}
