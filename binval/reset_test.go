package binval_test

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
)

// B1: the object is released once.
func TestResetOnce(t *testing.T) {
	var released atomic.Int32
	v := binval.FromCustom("object", func(string) { released.Add(1) })
	var all sync.WaitGroup
	for range 8 {
		copied := v
		all.Go(func() {
			for range 2 {
				if err := copied.Reset(); err != nil || !copied.IsZero() {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := released.Load(); got != 1 {
		t.Errorf("released %d times", got)
	}
	if _, err := binval.ToCustom[string](&v); !errors.Is(err, binval.ErrStale) {
		t.Errorf("a copy reads %v after the reset", err)
	}
}

// The next value has taken over the place of the first one in the table.
func TestResetLate(t *testing.T) {
	for range 100 {
		v := must(binval.From([]int{1, 2}))
		late := v
		v.Reset()
		next := must(binval.From([]int{3}))
		late.Reset()
		if got, err := binval.To[[]int](&next); err != nil || got[0] != 3 {
			t.Fatalf("the next value reads %v, %v", got, err)
		}
		next.Reset()
	}
}

// The arguments are reset from the first to the last, each once (B1), also after a panic in one of the release functions.
func TestArgsOrder(t *testing.T) {
	for _, bad := range []int{-1, 0, 1, 2, 3} {
		var order []int
		var args binval.Args
		for i := range args {
			args[i] = binval.FromCustom(i, func(i int) {
				order = append(order, i)
				if i == bad {
					panic("release")
				}
			})
		}
		func() {
			defer func() {
				if got := recover(); (got != nil) != (bad >= 0) {
					t.Errorf("panic %v", got)
				}
			}()
			args.Reset()
		}()
		if !slices.Equal(order, []int{0, 1, 2, 3}) || args != (binval.Args{}) {
			t.Errorf("panic in %d: released %v, left %v", bad, order, args)
		}
		args.Reset()
		if len(order) != 4 {
			t.Errorf("released again: %v", order)
		}
	}
}

func TestResetInRelease(t *testing.T) {
	var v binval.Value
	n := 0
	v = binval.FromCustom(1, func(int) {
		n++
		v.Reset()
	})
	v.Reset()
	if n != 1 {
		t.Errorf("released %d times", n)
	}
}

// B1: the former owner has nothing to reset.
func TestTake(t *testing.T) {
	n := 0
	args := binval.Args{1: binval.FromCustom(1, func(int) { n++ })}
	taken := args.Take()
	args.Reset()
	if n != 0 || args != (binval.Args{}) {
		t.Fatalf("released %d times by the former owner, who has %v", n, args)
	}
	one := taken[1].Take()
	taken.Reset()
	if n != 0 {
		t.Fatalf("released %d times by the second owner", n)
	}
	one.Reset()
	if n != 1 {
		t.Fatalf("released %d times by the last owner", n)
	}
}

// The cleanup function is called once, with a copy of the value. The value itself is empty by then, so the cleanup may reset it again.
func TestResetForeign(t *testing.T) {
	defer binval.Unlink()
	v := binval.Foreign(binval.NewType(binval.Custom, 0xC1EA), nil, 7)
	if err := v.Reset(); !errors.Is(err, binval.ErrUnlinked) || v.IsZero() {
		t.Errorf("without C: %v, leaves %v", err, v.Flags())
	}
	calls := 0
	binval.Link(binval.Linkage{Call: func(f uintptr, copied binval.Value) {
		calls++
		if _, _, _, n := copied.Raw(); f != 0xC1EA || n != 7 || !v.IsZero() {
			t.Errorf("called %#x with length %d, the value is %v", f, n, v.Flags())
		}
		v.Reset()
	}})
	for range 2 {
		if err := v.Reset(); err != nil || !v.IsZero() {
			t.Errorf("with C: %v, leaves %v", err, v.Flags())
		}
	}
	if calls != 1 {
		t.Errorf("cleaned up %d times", calls)
	}
}

// The string stays valid in Go, but the value can't be read again.
func TestStaleView(t *testing.T) {
	v := must(binval.From("kept"))
	kept := v
	s, _ := binval.View[string](&v)
	v.Reset()
	if _, err := binval.View[string](&kept); !errors.Is(err, binval.ErrStale) || s != "kept" {
		t.Errorf("%q, %v", s, err)
	}
}
