package tool_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/tool"
)

// order is a loop with a model of it: the posts that must run, in order.
type order struct {
	*rapid.T
	m    *tool.Manual
	want []posted // posts that wait
	void []tool.Handle
	ids  int
	last int // the post that ran last
}

type posted struct {
	id int
	h  tool.Handle
}

// by calls do, on a goroutine of its own if who is "other", and returns when do has returned.
func (o *order) by(who string, do func()) {
	if who != "other" {
		do()
		return
	}
	var other sync.WaitGroup
	other.Go(do)
	other.Wait()
}

func (o *order) post() {
	o.ids++
	id := o.ids
	h, err := o.m.Immediate(func() { o.runs(id) })
	if err != nil {
		o.Fatal(err)
	}
	o.want = append(o.want, posted{id, h})
}

func (o *order) runs(id int) {
	if len(o.want) == 0 || o.want[0].id != id {
		o.Fatalf("%d runs, %v wait", id, o.want)
	}
	o.last = id
	o.void = append(o.void, o.want[0].h)
	o.want = o.want[1:]
	if o.m.Valid(o.void[len(o.void)-1]) {
		o.Fatalf("%d runs and is valid", id)
	}
	o.some("owner")
}

func (o *order) cancel(i int) {
	h := o.want[i].h
	if !o.m.Valid(h) || !o.m.Cancel(h) || o.m.Cancel(h) || o.m.Valid(h) {
		o.Fatalf("%d isn't cancelled once", o.want[i].id)
	}
	o.void = append(o.void, h)
	o.want = slices.Delete(o.want, i, i+1)
}

// some posts, cancels and asks at random. Each operation is by who, or by another goroutine.
func (o *order) some(who string) {
	for range rapid.IntRange(0, 3).Draw(o.T, "ops") {
		actor := rapid.SampledFrom([]string{who, "other"}).Draw(o.T, "who")
		switch op := rapid.IntRange(0, 5).Draw(o.T, "op"); {
		case op < 3 && o.ids < 200:
			o.by(actor, o.post)
		case op == 3 && len(o.want) > 0:
			i := rapid.IntRange(0, len(o.want)-1).Draw(o.T, "victim")
			o.by(actor, func() { o.cancel(i) })
		case op == 4 && len(o.void) > 0:
			h := rapid.SampledFrom(o.void).Draw(o.T, "void")
			o.by(actor, func() {
				if o.m.Valid(h) || o.m.Cancel(h) {
					o.Fatal("a handle is valid again")
				}
			})
		case op == 5:
			if _, ok := o.m.Next(); ok != (len(o.want) > 0) {
				o.Fatalf("Next says %v, %v wait", ok, o.want)
			}
		}
	}
}

// T1: immediates run in the order of their posts if one post happened before the other. T2: what is cancelled
// doesn't run, and a void handle stays void.
func TestT1OrderOfPosts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := &order{T: rt, m: tool.NewManual(tool.Options{
			Burst:   rapid.IntRange(1, 5).Draw(rt, "burst"),
			OnError: func(err error) { rt.Fatal(err) },
		})}
		for o.ids < 100 {
			o.some("driver")
			o.post()
			o.m.Iterate()
		}
		for len(o.want) > 0 {
			if !o.m.Iterate() {
				rt.Fatalf("nothing ran, %v wait", o.want)
			}
		}
		if o.m.Iterate() {
			rt.Fatal("something runs that nobody posted")
		}
	})
}

// T1: posts of one goroutine run in their order while others post. Each post runs or is cancelled.
func TestT1OrderOfGoroutines(t *testing.T) {
	const posters, posts = 4, 2000
	l := tool.Start(tool.Options{OnError: func(err error) { t.Error(err) }})
	next := [posters + 1]int{} // the last one is for the posts of the loop itself
	var kept sync.WaitGroup
	run := func(who, n int) {
		if n < next[who] {
			t.Errorf("%d runs after %d of poster %d", n, next[who]-1, who)
		}
		next[who] = n + 1
		kept.Done()
	}
	post := func(who, n int) {
		kept.Add(1)
		h, err := l.Immediate(func() { run(who, n) })
		if err != nil {
			t.Error(err)
		}
		if n%7 == 3 && l.Cancel(h) {
			kept.Done()
		}
	}
	var all sync.WaitGroup
	for who := range posters {
		all.Go(func() {
			for n := range posts {
				post(who, n)
			}
		})
	}
	all.Add(1)
	n := 0
	var own func()
	own = func() {
		if n == posts {
			all.Done()
			return
		}
		post(posters, n)
		n++
		mustSchedule(t)(l.Immediate(own))
	}
	mustSchedule(t)(l.Immediate(own))
	all.Wait()
	kept.Wait()
	if err := l.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// T3: after a panic, the callbacks behind it run in the same turn.
func TestT3PanicInABurst(t *testing.T) {
	var reports []error
	m := tool.NewManual(tool.Options{OnError: func(err error) { reports = append(reports, err) }})
	ran := 0
	for i := range 6 {
		queue := m.Immediate
		if i%2 == 0 {
			queue = func(fn func()) (tool.Handle, error) { return m.Deferred(0, fn) }
		}
		mustSchedule(t)(queue(func() {
			ran++
			if i < 4 {
				panic(i)
			}
		}))
	}
	if !m.Iterate() || ran != 6 || len(reports) != 4 || m.Iterate() {
		t.Errorf("%d of 6 ran, reports %v", ran, reports)
	}
}

// A turn without timers looks neither at their queue, for which it would need the lock, nor at the clock.
func TestTurnWithoutTimersLooksAtNone(t *testing.T) {
	looks := 0
	clock := tool.WithClock(func() time.Duration { looks++; return 0 })
	for name, use := range map[string]func(m *tool.Manual){
		"never had one": func(*tool.Manual) {},
		"it ran":        func(m *tool.Manual) { mustSchedule(t)(m.Deferred(0, nop)); m.Iterate() },
		"cancelled":     func(m *tool.Manual) { m.Cancel(mustSchedule(t)(m.Deferred(0, nop))) },
		"reset":         func(m *tool.Manual) { mustSchedule(t)(m.Deferred(0, nop)); _ = m.Reset() },
		"shut down": func(m *tool.Manual) {
			mustSchedule(t)(m.Deferred(time.Hour, nop))
			if err := m.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		},
	} {
		m := tool.NewManualOn(tool.NewHost(tool.TurnLimits{}, clock, tool.WithOnError(func(err error) { t.Error(err) })), 0)
		use(m)
		m.WithoutTimers()
		looks = 0
		ran := false
		_, err := m.Immediate(func() { ran = true })
		if worked := m.Iterate(); worked != (err == nil) || ran != worked || looks != 0 {
			t.Errorf("%s: worked %v, ran %v, after %v; looked at the clock %d times", name, worked, ran, err, looks)
		}
	}
}

func TestTurnLooksAtTheClockOnce(t *testing.T) {
	looks := 0
	clock := tool.WithClock(func() time.Duration { looks++; return 0 })
	m := tool.NewManualOn(tool.NewHost(tool.TurnLimits{}, clock), 0)
	d, seat := drive.Of(m)
	seat.Take()
	defer seat.Leave()
	mustSchedule(t)(m.Deferred(0, nop))
	mustSchedule(t)(m.Deferred(0, nop))
	var again func()
	again = func() { mustSchedule(t)(m.Immediate(again)) }
	again()
	looks = 0
	if d.Turns(turnsLimit(5)); looks != 1 {
		t.Errorf("five turns, the first of them with timers, looked at the clock %d times", looks)
	}
}
