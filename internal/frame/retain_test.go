package frame

import (
	"context"
	"reflect"
	"runtime"
	"strconv"
	"testing"
	"time"
	"weak"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// collectable is a value, and an error, whose collection the test observes.
type collectable struct{ name string }

func (x *collectable) Error() string { return x.name }

// collectables holds weak pointers to values that were made, by name.
type collectables map[string]weak.Pointer[collectable]

func (m collectables) make(name string) *collectable {
	x := &collectable{name}
	m[name] = weak.Make(x)
	return x
}

// Recycled memory refers to nothing of the last run: no error, no context, no function that a step has set.
func TestRecycledMemoryHoldsNothing(t *testing.T) {
	var inst Activation
	var slot Wait
	made := make(collectables)
	again := false
	op := &testOp{
		exec: func(f *Frame) Verdict {
			if again {
				return Done
			}
			hook, first, second := made.make("hook"), made.make("first cleanup"), made.make("second cleanup")
			f.SetCancel(func() { panic(hook) })
			f.Defer(func() { panic(first) })
			f.Defer(func() { panic(second) })
			f.Run().Vars().Set("variable", made.make("variable"))
			gen := slot.Open(f)
			slot.Claim(gen)
			slot.Complete(made.make("error from outside"))
			return f.Fail(made.make("error"))
		},
		handle: func(f *Frame, _ error) Verdict { return f.Fail(made.make("error of the handler")) },
	}
	branch := &testOp{exec: op.exec, handle: op.handle}
	inst.Init(&Level{Ops: []Op{forkOp(&inst, branch), op}}, nil)
	run := func() {
		type key struct{}
		owner, loop := made.make("owner"), tooltest.New()
		r := NewRun(&inst, &Config{
			Context: context.WithValue(context.Background(), key{}, made.make("context")), Tool: loop,
			Owner: Ended(func(*Run) { owner.name = "told" }),
		})
		if err := r.Launch(); err != nil {
			t.Fatal(err)
		}
		loop.Run()
		if failed := r.Result() != nil; failed == again || owner.name != "told" {
			t.Errorf("ended with %v", r.Result())
		}
		r.Recycle()
	}
	run()
	runtime.GC()
	for name, x := range made {
		if x.Value() != nil {
			t.Errorf("the %s is held", name)
		}
	}
	again = true
	run()
	runtime.KeepAlive(&inst)
	runtime.KeepAlive(&slot)
}

// L1, C1: a break that has reached its loop is dropped if a cancel comes before the loop has taken it; here a cleanup
// on the way asks for the cancel.
func TestCancelledBreakIsNotHeld(t *testing.T) {
	var inst Activation
	made := make(collectables)
	body := callOp(&inst, execOp(func(f *Frame) Verdict {
		f.Defer(func() { f.Run().Cancel(nil) })
		return f.Jump(&Jump{Value: made.make("value"), Given: true})
	}))
	r := startRun(t, tooltest.New(), &inst, &testOp{loop: true, exec: body.exec, resume: func(*Frame) Verdict {
		t.Error("the loop of a cancelled run goes on")
		return Done
	}})
	r.Turn()
	wantCode(t, r.Result(), fault.Cancelled)
	r.Recycle()
	runtime.GC()
	if made["value"].Value() != nil {
		t.Error("what the break carried is held")
	}
	runtime.KeepAlive(&inst)
}

func TestShieldHoldsNoReason(t *testing.T) {
	var inst Activation
	made := make(collectables)
	k := &Fork{Branches: make([]Branch, 1), shielding: shielding{Shield: Shield{Shields: true}}}
	k.Branches[0].Enter(level(&inst, execOp(nil)))
	loop := tooltest.New()
	r := startRun(t, loop, &inst, execOp(func(f *Frame) Verdict {
		f.Run().Cancel(made.make("cause"))
		return f.Fork(k)
	}))
	loop.Run()
	wantCode(t, r.Result(), fault.Cancelled)
	r.Recycle()
	runtime.GC()
	if made["cause"].Value() != nil {
		t.Error("the cause of the cancel is held")
	}
	runtime.KeepAlive(k)
}

func TestDeepUnwindIsNotKept(t *testing.T) {
	for _, depth := range []int{1, retained, retained + 1} {
		var inst Activation
		op := failOp(errFirst)
		for range depth - 1 {
			op = callOp(&inst, op)
		}
		inst.Init(&Level{Ops: []Op{op}}, nil)
		r := NewRun(&inst, &Config{Context: context.Background()})
		for !r.HasEnded() {
			r.Turn()
		}
		wantCode(t, r.Result(), fault.Code("First"))
		r.Recycle()
		if n := cap(r.main.trail.marks); n > retained || depth < retained && n == 0 {
			t.Errorf("room for %d levels is kept after %d", n, depth)
		}
	}
}

func TestManyTimersAreNotKept(t *testing.T) {
	for _, n := range []int{1, retained + 1} {
		d := new(due)
		for range n {
			d.add(new(resources))
		}
		for g := d.timer(); g != nil; g = d.timer() {
			d.forget(g)
		}
		d.clear()
		if room := cap(d.lapsed); room > retained || n < retained && room == 0 {
			t.Errorf("room for %d timers is kept after %d", room, n)
		}
	}
}

// The bounds are sizes of the allocator.
func TestSizes(t *testing.T) {
	if strconv.IntSize != 64 {
		t.Skip("the sizes are those of 64 bits")
	}
	for _, c := range []struct {
		of   reflect.Type
		most uintptr
	}{
		{reflect.TypeFor[Run](), 384},
		{reflect.TypeFor[Activation](), 112}, // with a Wait and two words 192, which is a size of the allocator
		{reflect.TypeFor[Wait](), 64},
		{reflect.TypeFor[resources](), 80},
		{reflect.TypeFor[exits](), 32},
	} {
		if n := c.of.Size(); n > c.most {
			t.Errorf("%v takes %d bytes, more than %d", c.of, n, c.most)
		}
	}
}

// A suspended run that has recovered an error releases the memory for unwinding, and can still be cancelled.
func TestSuspendedRunGivesUnwindingBack(t *testing.T) {
	loop := tooltest.New()
	recovers := failOp(errFirst)
	recovers.handle = func(*Frame, error) Verdict { return Done }
	run := startRun(t, loop, new(Activation), recovers, execOp(wait))
	loop.Run()
	if run.HasEnded() || run.main.unwinding != nil {
		t.Errorf("ended is %t, the memory is kept: %t", run.HasEnded(), run.main.unwinding != nil)
	}
	run.Cancel(nil)
	loop.Run()
	wantCode(t, run.Result(), fault.Cancelled)
}

func TestDeepUnwindIsNotGivenBack(t *testing.T) {
	loop, inst := tooltest.New(), new(Activation)
	op := failOp(errFirst)
	for range retained + 1 {
		op = callOp(inst, op)
	}
	op.handle = func(*Frame, error) Verdict { return Done }
	var back *unwinding
	run := startRun(t, loop, inst, op, execOp(func(f *Frame) Verdict {
		back = f.fiber.unwinding
		return wait(f)
	}))
	loop.Run()
	if room := cap(back.trail.marks); run.main.unwinding != nil || room > retained {
		t.Errorf("given back is %t, with room for %d levels", run.main.unwinding == nil, room)
	}
	run.Cancel(nil)
	loop.Run()
}

func TestUnwindingIsKeptWhileItHolds(t *testing.T) {
	f := new(Frame)
	for name, u := range map[string]*unwinding{
		"error":     {err: errFirst},
		"jump":      {jump: new(Jump)},
		"stop":      {stop: f},
		"target":    {target: f},
		"mark":      {trail: &trail{marks: make([]mark, 1)}},
		"secondary": {trail: &trail{secondary: []error{errFirst}}},
		"defect":    {trail: &trail{defects: []error{errFirst}}},
		"given":     {trail: &trail{given: new(fault.Error)}},
	} {
		s := Fiber{mode: running, unwinding: u}
		if s.shelve(); s.unwinding != u {
			t.Errorf("%s: given back", name)
		}
	}
	s := Fiber{mode: raising, unwinding: new(unwinding)}
	if s.shelve(); s.unwinding == nil {
		t.Error("given back while an error is on its way")
	}
}

// Where goid is fast, a run that only its loop completes needs no memory for posts. One that other goroutines complete
// keeps the memory that it has made.
func TestPostsAreMadeForOthers(t *testing.T) {
	loop := tool.NewManual(tool.Options{})
	op := &repeatedWait{left: 2}
	run := startRun(t, loop, new(Activation), op)
	iterate(loop)
	mustSchedule(t)(loop.Immediate(func() { completeInLoop(op) }))
	iterate(loop)
	if goid.Fast && run.posts != nil {
		t.Error("the loop has made memory for posts")
	}
	onGoroutine(func() { completeElsewhere(&op.slot, op.gen.Load()) })
	iterate(loop)
	if !run.HasEnded() || run.posts == nil || run.posts.inbox != (inbox{}) || run.posts.item.Queued() {
		t.Errorf("ended is %t, or a post is left", run.HasEnded())
	}
}

func TestSingleFiberNeedsNoQueue(t *testing.T) {
	loop := tooltest.New()
	op := &repeatedWait{left: 2}
	ops := []Op{op}
	for range 3 * loop.Host().Turn().Steps { // longer than a turn, so it yields
		ops = append(ops, execOp(nil))
	}
	run := startRun(t, loop, new(Activation), ops...)
	loop.Run()
	onGoroutine(func() { completeElsewhere(&op.slot, op.gen.Load()) })
	loop.Run()
	mustSchedule(t)(loop.Immediate(func() { completeInLoop(op) }))
	loop.Run()
	if !run.HasEnded() || run.ready.transit != nil {
		t.Errorf("ended is %t, a queue was made: %t", run.HasEnded(), run.ready.transit != nil)
	}
}

func TestRecycledMemoryHoldsNoLoop(t *testing.T) {
	made := make(collectables)
	for name, start := range map[string]func(report func(error)) tool.Tool{
		"of package tool": func(report func(error)) tool.Tool { return tool.NewManual(tool.Options{OnError: report}) },
		"of another package": func(report func(error)) tool.Tool {
			return tooltest.New(tooltest.WithHost(tool.WithOnError(report)))
		},
	} {
		var inst Activation
		inst.Init(&Level{Ops: []Op{execOp(nil)}}, nil)
		func() {
			held := made.make(name)
			loop := start(func(error) { panic(held) })
			run := NewRun(&inst, &Config{Context: t.Context(), Tool: loop, Owner: Ended((*Run).Recycle)})
			if err := run.Launch(); err != nil {
				t.Fatal(err)
			}
			iterate(loop)
		}()
		runtime.GC()
		if made[name].Value() != nil {
			t.Errorf("a loop %s is held", name)
		}
		runtime.KeepAlive(&inst)
	}
}

func TestWaitThatWasLeftHoldsNoRun(t *testing.T) {
	var slot Wait
	run := func() weak.Pointer[Run] {
		loop, inst := tooltest.New(), new(Activation)
		inst.Init(&Level{Ops: []Op{execOp(func(f *Frame) Verdict { slot.Open(f); return Waiting })}}, nil)
		run := NewRun(inst, &Config{Context: t.Context(), Tool: loop, Owner: Ended(func(r *Run) {
			wantCode(t, r.Result(), fault.Cancelled)
		})})
		if err := run.Launch(); err != nil {
			t.Fatal(err)
		}
		loop.Run()
		run.Cancel(nil)
		loop.Run()
		return weak.Make(run)
	}()
	runtime.GC()
	if run.Value() != nil {
		t.Error("the run is held")
	}
	runtime.KeepAlive(&slot)
}

// Recycled memory refers to nothing of a wait that was left: not to the function that stops its goroutine, nor to an
// error that came late; and not to the error of a hook of a run that was cancelled.
func TestMemoryOfALeftWaitHoldsNothing(t *testing.T) {
	for name, grace := range map[string]time.Duration{"the loop is closed": 0, "the goroutine is late": -1} {
		var inst Activation
		var slot Wait
		made := make(collectables)
		loop := &closingLoop{Loop: tooltest.New()}
		r := startRun(t, loop, &inst, execOp(func(f *Frame) Verdict {
			stop, hook := made.make("function that stops the goroutine"), made.make("panic of a hook")
			gen := slot.Hire(f, func(error) { stop.name = "told" }, grace)
			f.SetCancel(func() { panic(hook) })
			mustSchedule(t)(loop.Immediate(func() {
				f.Run().Cancel(nil)
				loop.closed = grace == 0
				f.Run().Turn()
				if grace < 0 {
					slot.FinishLate(gen, made.make("late error"))
				}
			}))
			return Waiting
		}))
		loop.Run()
		wantCode(t, r.Result(), fault.Cancelled)
		r.Recycle()
		runtime.GC()
		for what, x := range made {
			if x.Value() != nil {
				t.Errorf("%s: the %s is held", name, what)
			}
		}
		runtime.KeepAlive(&inst)
		runtime.KeepAlive(&slot)
	}
}
