//go:build cgo

package cabi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func wrap(t testing.TB, p unsafe.Pointer) cabi.Steps {
	t.Helper()
	as, err := cabi.Wrap(p)
	must(t, err)
	if !as.Foreign() {
		t.Fatal("a foreign pointer is taken for ours")
	}
	return as
}

func TestWrap(t *testing.T) {
	t.Run("a Go stage between foreign steps", func(t *testing.T) {
		e := foreign(t)
		root, got := e.Root(), mock.NewNumber()
		mock.Add(root, 21, mock.Gives, 0)
		must(t, cabi.Add(wrap(t, root), &number, double, &number))
		mock.Add(root, got.Data(), mock.Takes, 0)
		mock.Execute(root, 0, 0)
		e.Run()
		if got.Value() != 42 {
			t.Errorf("got %d", got.Value())
		}
		mock.Free(root)
	})

	t.Run("a stage that waits for a goroutine", func(t *testing.T) {
		e := foreign(t)
		root, got := e.Root(), mock.NewNumber()
		slow := step.Await(func(_ context.Context, n int32) (int32, error) { return n + 1, nil })
		ended := step.Map(func(n int32) int32 { e.Pend(-1); return n })
		e.Pend(1)
		mock.Add(root, 41, mock.Gives, 0)
		must(t, cabi.Add(wrap(t, root), &number, flow.Then(slow, ended), &number))
		mock.Add(root, got.Data(), mock.Takes, 0)
		mock.Execute(root, 0, 0)
		e.Run()
		if got.Value() != 42 {
			t.Errorf("got %d", got.Value())
		}
		mock.Free(root)
	})

	t.Run("C3 a timeout of Go by the foreign clock, and E2 its code in a foreign handler", func(t *testing.T) {
		e := foreign(t)
		root, caught := e.Root(), mock.NewCaught()
		never := step.New(func(as step.Scope, _ struct{}) step.Next[struct{}] {
			as.SetTimeout(200_000_000)
			return step.Wait(as, func(step.Done[struct{}]) {})
		})
		inner := mock.Hook(func(p unsafe.Pointer) { must(t, cabi.Add(wrap(t, p), &none, never, &none)) })
		mock.Add(root, inner, mock.AsksGo, 0)
		mock.Execute(root, caught.Data(), mock.Catches)
		e.Run()
		if caught.Code() != "Timeout" || caught.Count() != 1 || e.Now() != 200 {
			t.Errorf("got %q, %d times, at %d ms", caught.Code(), caught.Count(), e.Now())
		}
		mock.Free(root)
	})

	t.Run("an error of Go has code and info there", func(t *testing.T) {
		e := foreign(t)
		root, caught := e.Root(), mock.NewCaught()
		fails := step.Func(func(step.Scope, int32) (int32, error) { return 0, fault.New("OfGo", "why") })
		must(t, cabi.Add(wrap(t, root), &number, flow.Then(step.Map(func(int32) int32 { return 1 }), fails), &number))
		mock.Add(root, 1, mock.Gives, 0)
		mock.Execute(root, caught.Data(), mock.Catches)
		e.Run()
		if caught.Code() != "InvalidRequest" { // the stage got no value to decode
			t.Errorf("got %q", caught.Code())
		}
		mock.Free(root)

		root = e.Root()
		mock.Add(root, 1, mock.Gives, 0)
		must(t, cabi.Add(wrap(t, root), &number, fails, &number))
		mock.Execute(root, caught.Data(), mock.Catches)
		e.Run()
		if caught.Code() != "OfGo" || caught.Info() != "why" {
			t.Errorf("got %q, %q", caught.Code(), caught.Info())
		}
		mock.Free(root)
	})

	t.Run("C1 a foreign cancel unwinds the stage before it returns", func(t *testing.T) {
		e := foreign(t)
		root, next := e.Root(), e.Root()
		var events []string
		mock.Add(next, mock.Hook(func(unsafe.Pointer) { events = append(events, "next") }), mock.AsksGo, 0)
		waits := step.New(func(as step.Scope, _ struct{}) step.Next[struct{}] {
			step.StackCleanup(as, func(*int) { events = append(events, "cleanup") })
			as.SetCancel(func() { events = append(events, "hook") })
			mock.Cancel(root)
			mock.Execute(next, 0, 0)
			return step.Wait(as, func(step.Done[struct{}]) {})
		})
		must(t, cabi.Add(wrap(t, root), &none, waits, &none))
		mock.Execute(root, 0, 0)
		e.Run()
		if got := strings.Join(events, " "); got != "hook cleanup next" {
			t.Errorf("got %s", got)
		}
		mock.Free(next)
		mock.Free(root)
	})

	t.Run("a goroutine schedules before the stage waits", func(t *testing.T) {
		e := foreign(t)
		root, got := e.Root(), mock.NewNumber()
		soon := step.New(func(as step.Scope, n int32) step.Next[int32] {
			return step.Wait(as, func(done step.Done[int32]) {
				told := make(chan struct{})
				go func() {
					_, err := as.Loop().Immediate(func() { done.Succeed(n + 1) }) //stepvet:ignore the body waits for this goroutine
					if err != nil {
						t.Error(err)
					}
					close(told)
				}()
				<-told //stepvet:ignore the goroutine has to be first
			})
		})
		mock.Add(root, 41, mock.Gives, 0)
		must(t, cabi.Add(wrap(t, root), &number, soon, &number))
		mock.Add(root, got.Data(), mock.Takes, 0)
		mock.Execute(root, 0, 0)
		e.Run()
		if got.Value() != 42 {
			t.Errorf("got %d", got.Value())
		}
		mock.Free(root)
	})

	t.Run("a limit that is too short for the foreign loop, and isn't reached", func(t *testing.T) {
		e := foreign(t)
		root := e.Root()
		limited := flow.Timeout(99*time.Millisecond, step.Delay[struct{}](0))
		must(t, cabi.Add(wrap(t, root), &none, limited, &none))
		mock.Execute(root, 0, 0)
		e.Run()
		mock.Free(root)
	})

	t.Run("stages that are never reached are given up with the foreign run", func(t *testing.T) {
		e := foreign(t)
		root := e.Root()
		mock.Add(root, mock.Text("Early"), mock.Fails, 0)
		for range 100 {
			must(t, cabi.Add(wrap(t, root), &number, double, &number))
		}
		mock.Execute(root, 0, 0)
		e.Run()
		mock.Free(root)
	})

	t.Run("a pointer without a table", func(t *testing.T) {
		if _, err := cabi.Wrap(nil); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("got %v", err)
		}
	})
}
