package plan_test

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"testing"
	"weak"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Values of one type that follow each other share a place. When a value isn't needed any more, the next value of its
// type takes its place. Ops with the same type of state share it.
func TestCellsAreShared(t *testing.T) {
	inc := op.Map(func(i int) int { return i + 1 })
	text := op.Map(func(i int) string { return string(rune('a' + i)) })
	length := op.Map(func(s string) int { return len(s) })
	one := []*plan.Stage[int, int]{inc, inc, inc, inc, inc, inc}
	there := op.Then(text, length)
	caught := op.CatchInput(text, op.Map(func(op.Failed[int]) string { return "" }))
	pair := func(s *plan.Stage[int, int]) *plan.Stage[int, int] {
		return op.Carry("pair", s, func(in, out int) int { return 10*in + out })
	}
	carried := op.Carry("carry", there, func(a, _ int) [1]int { return [1]int{a} })
	first := op.Map(func(all [1]int) int { return all[0] })
	tests := []struct {
		name   string
		stage  *plan.Stage[int, int]
		fields int
		want   int
	}{
		{"one type", op.Chain(one), 1, 13},
		{"there and back", there, 2, 1},
		{"again and again", op.Chain([]*plan.Stage[int, int]{there, there, there, inc}), 2, 2},
		{"kept until it can't be caught any more", op.Chain([]*plan.Stage[int, int]{op.Then(caught, length), op.Then(caught, length)}), 4, 1},
		{"a place is given away once", op.Chain([]*plan.Stage[int, int]{there, inc, pair(there)}), 3, 21},
		{"one state for ops of one type", op.Chain([]*plan.Stage[int, int]{op.Delay[int](0), op.Delay[int](0)}), 2, 7},
		{"kept until it is combined", op.Chain([]*plan.Stage[int, int]{op.Then(carried, first), op.Then(carried, first)}), 4, 7},
		{"sub-steps have their own", op.Chain([]*plan.Stage[int, int]{inc, op.Named("held", op.Chain(one)), inc}), 1, 15},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if n := plan.FieldsOf(test.stage); n != test.fields {
				t.Errorf("%d values have a place, want %d", n, test.fields)
			}
			if got, err := plan.Run(context.Background(), test.stage, 7); got != test.want || err != nil {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
}

// A handler that gets the input of its step gets it unchanged, though the result has the same type.
func TestHandlerFindsTheInput(t *testing.T) {
	got := op.Failed[int]{}
	answer := op.Map(func(x op.Failed[int]) int { got = x; return -1 })
	broken := op.Map(func(i int) int {
		if i > 10 {
			panic("too much")
		}
		return i * 2
	})
	double := op.Map(func(i int) int { return i * 2 })
	s := op.CatchInput(op.Chain([]*plan.Stage[int, int]{double, double, broken}), answer)
	if v, err := plan.Run(context.Background(), s, 5); v != -1 || err != nil || got.In != 5 {
		t.Errorf("%d, %v; the handler was given %d", v, err, got.In)
	}
	alone := op.Chain([]*plan.Stage[int, int]{double, op.CatchInput(broken, answer), double})
	if v, err := plan.Run(context.Background(), alone, 20); v != -2 || err != nil || got.In != 40 {
		t.Errorf("%d, %v; the handler was given %d", v, err, got.In)
	}
	if v, err := plan.Run(context.Background(), alone, 2); v != 16 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
}

// Plans whose levels have the same layout share memory.
func TestPlansShareMemory(t *testing.T) {
	type mine [3]*int
	build := func() *plan.Stage[mine, mine] {
		id := op.Map(func(m mine) mine { return m })
		return op.Then(id, op.Named("held", op.Chain([]*plan.Stage[mine, mine]{id, id})))
	}
	first, second := build(), build()
	if plan.MemoryOf(first) != plan.MemoryOf(second) {
		t.Error("two plans of the same shape have memory of their own")
	}
	other := op.Map(func(m mine) *mine { return &m })
	if plan.MemoryOf(other) == plan.MemoryOf(first) {
		t.Error("plans of different shapes share memory")
	}
}

// cleared is a type with a method that the machine must not call.
type cleared struct{ p *[64]int }

var clears int

func (c *cleared) Clear() { clears++ }

// A value of the user is held no longer than its run, and its methods aren't called.
func TestValuesAreDropped(t *testing.T) {
	passes := op.Map(func(v cleared) cleared { return v })
	listed := op.Map(func(v cleared) []cleared { return []cleared{v} })
	first := op.Map(func(all []cleared) cleared { return all[0] })
	nothing := op.Map(func(cleared) struct{} { return struct{}{} })
	ended := func(v, _ cleared, _ op.Leaving) cleared { return v }
	for name, s := range map[string]*plan.Stage[cleared, cleared]{
		"chain":   op.Chain([]*plan.Stage[cleared, cleared]{passes}),
		"each":    op.Then(listed, op.Then(op.Each(1, passes), first)),
		"bracket": op.Bracket(passes, passes, nothing, ended),
	} {
		t.Run(name, func(t *testing.T) {
			clears = 0
			var kept weak.Pointer[[64]int]
			makes := op.Map(func(cleared) cleared {
				p := new([64]int)
				kept = weak.Make(p)
				return cleared{p}
			})
			s := op.Then(makes, s)
			if out, err := plan.Run(context.Background(), s, cleared{}); err != nil || out.p == nil {
				t.Errorf("got %v, %v", out, err)
			}
			runtime.GC()
			if clears != 0 || kept.Value() != nil {
				t.Errorf("Clear was called %d times, the value is held: %t", clears, kept.Value() != nil)
			}
			runtime.KeepAlive(s)
		})
	}
}

// Values of odd types go from step to step unchanged.
func TestOddValues(t *testing.T) {
	type odd struct {
		b bool
		i int64
		s string
		_ struct{}
		a [3]byte
	}
	s := op.Then(op.Map(func(i int8) odd { return odd{b: true, i: int64(i), s: "x", a: [3]byte{1, 2, 3}} }),
		op.Then(op.Map(func(o odd) struct{} {
			if !o.b || o.i != 3 || o.s != "x" || o.a != [3]byte{1, 2, 3} {
				t.Errorf("got %v", o)
			}
			return struct{}{}
		}), op.Then(op.Map(func(struct{}) [0]*int { return [0]*int{} }), op.Map(func([0]*int) bool { return true }))))
	for range 2 {
		if ok, err := plan.Run(context.Background(), s, int8(3)); !ok || err != nil {
			t.Errorf("got %v, %v", ok, err)
		}
	}
}

// The place of what a handler is given becomes free once: two values that are needed at the same time don't share it.
func TestHandlerFreesItsInputOnce(t *testing.T) {
	caught := op.Catch(op.Map(func(i int) int { return i }), op.Map(func(error) int { return -1 }))
	wrap := op.Map(func(i int) error { return errors.New(strconv.Itoa(i)) })
	other := op.Map(func(err error) error { return errors.New("not " + err.Error()) })
	both := op.Carry("carry", other, func(a, b error) string { return a.Error() + ", " + b.Error() })
	if got, err := plan.Run(context.Background(), op.Then(op.Then(caught, wrap), both), 7); got != "7, not 7" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
