package seam

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// conv is a step from A to B.
func conv[A, B any](f func(A) B) *Stage[A, B] {
	var n *Node
	n = NewNode[A, B]("conv", func(e *Emitter) {
		in := Input[A](e)
		e.Op(n, &convOp[A, B]{in: in, out: Output[B](e), f: f})
	})
	return NewStage[A, B](n)
}

type convOp[A, B any] struct {
	frame.Leaf
	in  Cell[A]
	out Cell[B]
	f   func(A) B
}

func (o *convOp[A, B]) Exec(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = o.f(*o.in.At(f))
	return frame.Done
}

// fieldsOf counts the values of the outermost level of s.
func fieldsOf[In, Out any](t *testing.T, s *Stage[In, Out]) int {
	t.Helper()
	m := s.compile().level.Memory
	n := 0
	for at := find(empty, m); at != nil && at.parent != nil; at = at.parent {
		n++
	}
	return n
}

// find gives the layout with that memory.
func find(l *layout, m *frame.Memory) (found *layout) {
	if &l.memory == m {
		return l
	}
	l.more.Range(func(_, longer any) bool {
		found = find(longer.(*layout), m)
		return found == nil
	})
	return found
}

// Values of one type that follow each other are in one place, and a value that
// nobody needs any more makes room for the next of its type.
func TestCellsAreShared(t *testing.T) {
	inc := conv(func(i int) int { return i + 1 })
	text := conv(func(i int) string { return string(rune('a' + i)) })
	length := conv(func(s string) int { return len(s) })
	one := []*Stage[int, int]{inc, inc, inc, inc, inc, inc}
	there := Then(text, length)
	tests := []struct {
		name   string
		stage  *Stage[int, int]
		fields int
		want   int
	}{
		{"one type", Chain(one), 1, 13},
		{"there and back", there, 2, 1},
		{"again and again", Chain([]*Stage[int, int]{there, there, there, inc}), 2, 2},
		{"sub-steps have their own", Chain([]*Stage[int, int]{inc, Named("held", Chain(one)), inc}), 1, 15},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if n := fieldsOf(t, test.stage); n != test.fields {
				t.Errorf("%d values have a place, want %d", n, test.fields)
			}
			if got, err := Run(context.Background(), test.stage, 7); got != test.want || err != nil {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
}

// A handler that is given the input of its step is given what came in, though
// the result has the same type.
func TestHandlerFindsTheInput(t *testing.T) {
	got := Failed[int]{}
	answer := conv(func(x Failed[int]) int { got = x; return -1 })
	broken := conv(func(i int) int {
		if i > 10 {
			panic("too much")
		}
		return i * 2
	})
	double := conv(func(i int) int { return i * 2 })
	s := CatchInput(Chain([]*Stage[int, int]{double, double, broken}), answer)
	if v, err := Run(context.Background(), s, 5); v != -1 || err != nil || got.In != 5 {
		t.Errorf("%d, %v; the handler was given %d", v, err, got.In)
	}
	alone := Chain([]*Stage[int, int]{double, CatchInput(broken, answer), double})
	if v, err := Run(context.Background(), alone, 20); v != -2 || err != nil || got.In != 40 {
		t.Errorf("%d, %v; the handler was given %d", v, err, got.In)
	}
	if v, err := Run(context.Background(), alone, 2); v != 16 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
}

// Plans that need the same memory share it: a plan made for one run makes none.
func TestPlansShareMemory(t *testing.T) {
	type mine [3]*int
	plan := func() *Stage[mine, mine] {
		id := conv(func(m mine) mine { return m })
		return Then(id, Named("held", Chain([]*Stage[mine, mine]{id, id})))
	}
	first, second := plan(), plan()
	if first.compile().level.Memory != second.compile().level.Memory {
		t.Error("two plans of the same shape have memory of their own")
	}
	other := conv(func(m mine) *mine { return &m })
	if other.compile().level.Memory == first.compile().level.Memory {
		t.Error("plans of different shapes share memory")
	}
}

// cleared has a method that is not for the machine to call.
type cleared struct{ p *[64]int }

var clears int

func (c *cleared) Clear() { clears++ }

// A value of the user's is dropped when its level is left; none of its methods
// is called.
func TestValuesAreDropped(t *testing.T) {
	var kept weak.Pointer[[64]int]
	s := Chain([]*Stage[cleared, cleared]{conv(func(cleared) cleared {
		p := new([64]int)
		kept = weak.Make(p)
		return cleared{p}
	})})
	if out, err := Run(context.Background(), s, cleared{}); err != nil || out.p == nil {
		t.Errorf("got %v, %v", out, err)
	}
	runtime.GC()
	if clears != 0 || kept.Value() != nil {
		t.Errorf("Clear was called %d times, the value is held: %t", clears, kept.Value() != nil)
	}
	runtime.KeepAlive(s)
}

// Every kind of value finds its place, aligned and of the right size.
func TestOddValues(t *testing.T) {
	type odd struct {
		b bool
		i int64
		s string
		_ struct{}
		a [3]byte
	}
	s := Then(conv(func(i int8) odd { return odd{b: true, i: int64(i), s: "x", a: [3]byte{1, 2, 3}} }),
		Then(conv(func(o odd) struct{} {
			if !o.b || o.i != 3 || o.s != "x" || o.a != [3]byte{1, 2, 3} {
				t.Errorf("got %v", o)
			}
			return struct{}{}
		}), Then(conv(func(struct{}) [0]*int { return [0]*int{} }), conv(func([0]*int) bool { return true }))))
	for range 2 {
		if ok, err := Run(context.Background(), s, int8(3)); !ok || err != nil {
			t.Errorf("got %v, %v", ok, err)
		}
	}
}
