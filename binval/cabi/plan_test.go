//go:build cgo

package cabi_test

import (
	"context"
	"errors"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var double = step.Map(func(n int32) int32 { return 2 * n })

func TestCallInGoPlan(t *testing.T) {
	ctx := context.Background()

	t.Run("values go to C and come back", func(t *testing.T) {
		plan := flow.Then(double, flow.Then(cabi.Call(&number, code(mock.Forwards, 0, 0), &number), double))
		for range 3 {
			if got, err := flow.Run(ctx, plan, 3); got != 12 || err != nil {
				t.Errorf("got %d, %v", got, err)
			}
		}
		if n := cabi.Live(); n != 0 {
			t.Errorf("%d pointers are alive", n)
		}
	})

	t.Run("E2 an error of C reaches a handler of Go", func(t *testing.T) {
		fails := cabi.Call(&number, code(mock.Fails, 0, mock.Text("OfC")), &number)
		plan := flow.Catch(fails, func(_ step.Scope, err error) step.Next[int32] {
			if !errors.Is(err, fault.Code("OfC")) || fault.InfoOf(err) != "info of C" {
				t.Errorf("got %v", err)
			}
			return step.Succeed(int32(7))
		})
		if got, err := flow.Run(ctx, plan, 3); got != 7 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
	})

	t.Run("E6 Go to C to Go: an error of Go passes the handler of C and stays what it is", func(t *testing.T) {
		mine := errors.New("mine")
		caught := ""
		inner := step.Func(func(_ step.Scope, n int32) (int32, error) { return 0, mine })
		hook := mock.HookBoth(func(p unsafe.Pointer) {
			as, err := cabi.Wrap(p)
			must(t, err)
			if as.Foreign() || !as.Valid() {
				t.Error("our own pointer isn't taken for one")
			}
			mock.Add(p, 20, mock.Gives, 0)
			must(t, cabi.Add(as, &number, double, &number))
			must(t, cabi.Add(as, &number, inner, &number))
		}, func(code string) { caught = code })
		plan := cabi.Call(&number, code(mock.AsksGo, mock.TellsGo, hook), &number)
		if _, err := flow.Run(ctx, plan, 3); !errors.Is(err, mine) || caught != "InternalError" {
			t.Errorf("got %v, C has caught %q", err, caught)
		}
		if n := cabi.Live(); n != 0 {
			t.Errorf("%d pointers are alive", n)
		}
	})

	t.Run("E6 raised again by C it still is the error of Go", func(t *testing.T) {
		mine := errors.New("mine")
		hook := mock.Hook(func(p unsafe.Pointer) {
			as, err := cabi.Wrap(p)
			must(t, err)
			must(t, cabi.Add(as, &none, step.Func(func(step.Scope, struct{}) (struct{}, error) {
				return struct{}{}, mine
			}), &none))
		})
		if _, err := flow.Run(ctx, cabi.Call(&none, code(mock.AsksGo, mock.Reraises, hook), &none), struct{}{}); !errors.Is(err, mine) {
			t.Errorf("got %v", err)
		}
	})

	t.Run("wrong values are an InvalidRequest of the step", func(t *testing.T) {
		text := step.Map(func(n int32) int32 { return n })
		plan := flow.Then(cabi.Call(&number, code(mock.Adds, 0, 0), &number), text)
		if _, err := flow.Run(ctx, plan, 3); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("got %v", err)
		}
	})

	t.Run("code that is nil is reported before anything runs", func(t *testing.T) {
		if _, err := flow.Run(ctx, cabi.Call(&number, cabi.Code{}, &number), 1); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("got %v", err)
		}
	})
}

func TestFunc(t *testing.T) {
	ctx := context.Background()
	plan := cabi.Func(func(as cabi.Steps, n int32) error {
		if n == 0 {
			return fault.New("Mine", "")
		}
		if !as.Valid() {
			t.Error("not valid in its body")
		}
		mock.Add(as.Binary(), 21, mock.Gives, 0)
		return cabi.Add(as, &number, double, &number)
	}, &number)
	if got, err := flow.Run(ctx, plan, 5); got != 42 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	if _, err := flow.Run(ctx, plan, 0); !errors.Is(err, fault.Code("Mine")) {
		t.Errorf("got %v", err)
	}
	mine := cabi.Func(func(as cabi.Steps, _ struct{}) error {
		mock.Add(as.Binary(), mock.Text("OfC"), mock.Fails, 0)
		return nil
	}, &none)
	if _, err := flow.Run(ctx, mine, struct{}{}); !errors.Is(err, fault.Code("OfC")) {
		t.Errorf("got %v", err)
	}
	if n := cabi.Live(); n != 0 {
		t.Errorf("%d pointers are alive", n)
	}
}

func TestRoot(t *testing.T) {
	l := loop(t)
	number32 := mock.NewNumber()
	r := cabi.NewRoot(l)
	mock.Add(r.Binary(), 20, mock.Gives, 0)
	must(t, cabi.Add(r.Steps(), &number, double, &number))
	mock.Add(r.Binary(), number32.Data(), mock.Takes, 0)
	mock.Add(r.Binary(), mock.Text("Last"), mock.Fails, 0)
	done := make(chan error, 1)
	must(t, r.Execute(func(err error) { done <- err }))
	if err := <-done; !errors.Is(err, fault.Code("Last")) {
		t.Errorf("got %v", err)
	}
	if n := number32.Value(); n != 40 {
		t.Errorf("got %d", n)
	}
	// B12: the root has ended, and is executed again, also by done.
	mock.Add(r.Binary(), 4, mock.Gives, 0)
	must(t, cabi.Add(r.Steps(), &number, double, &number))
	mock.Add(r.Binary(), number32.Data(), mock.Takes, 0)
	must(t, r.Execute(func(err error) {
		if err != nil {
			t.Errorf("the second time: %v", err)
		}
		must(t, cabi.Add(r.Steps(), &none, step.Map(func(struct{}) struct{} {
			if err := r.Execute(func(error) { t.Error("called") }); !errors.Is(err, fault.InternalError) {
				t.Errorf("E7 execute while it executes: %v", err)
			}
			return struct{}{}
		}), &none))
		must(t, r.Execute(func(err error) { done <- err }))
	}))
	must(t, <-done)
	if n := number32.Value(); n != 8 {
		t.Errorf("the second time: got %d", n)
	}
	if !r.Free() || r.Free() {
		t.Error("can be freed once")
	}
	if err := r.Execute(func(error) { t.Error("called") }); !errors.Is(err, fault.InternalError) {
		t.Errorf("execute after free: %v", err)
	}
}
