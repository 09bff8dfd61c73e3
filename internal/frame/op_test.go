package frame

import (
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// A function is an op like any other: it has its place in the order, its own number, and its errors pass.
func TestPlain(t *testing.T) {
	var steps []int32
	begins := func(f *Frame) Verdict {
		steps = append(steps, f.pc)
		return Done
	}
	fail := func(f *Frame) Verdict {
		_ = begins(f)
		return f.Fail(errFirst)
	}
	breaks := func(f *Frame) Verdict {
		breakRule(f)
		return begins(f)
	}
	never := Plain(func(*Frame) Verdict { panic("executed") })
	e := wantCode(t, runOps(t, new(Activation), Plain(begins), execOp(begins), Plain(begins), Plain(fail), never), "First")
	if want := []int32{0, 1, 2, 3}; !slices.Equal(steps, want) || e.Path != "3" {
		t.Errorf("began %v, want %v; failed at %s", steps, want, e.Path)
	}
	steps = nil
	inst := new(Activation)
	e = wantCode(t, runOps(t, inst, Plain(begins), callOp(inst, Plain(begins), Plain(breaks), never), never), fault.InvalidRequest)
	if want := []int32{0, 0, 1}; !slices.Equal(steps, want) || e.Path != "1/1" {
		t.Errorf("began %v, want %v; failed at %s", steps, want, e.Path)
	}
}
