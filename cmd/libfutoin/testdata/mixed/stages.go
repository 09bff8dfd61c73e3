package main

// #include "engine.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var (
	number = binval.One[int32]()
	none   = binval.Codec[struct{}]{}
	ctx    = context.Background()
)

// least is the shortest time that the engine of C++ waits: it ends the process for
// less.
const least = 100 * time.Millisecond

var plusOne = step.Map(func(n int32) int32 { return n + 1 })

func init() {
	cases["stages_in_cxx"] = func() error {
		awaits := step.Await(func(_ context.Context, n int32) (int32, error) { return 2 * n, nil })
		delays := flow.Then(step.Delay[int32](least), plusOne)
		return tells("42", func(as cabi.Steps) error {
			return errors.Join(
				cabi.Add(as, &number, plusOne, &number),
				cabi.Add(as, &number, awaits, &number), // 42
				cabi.Add(as, &number, flow.Then(delays, step.Map(func(n int32) int32 { return n - 1 })), &number))
		})
	}
	cases["errors_in_cxx"] = func() error {
		fails := step.Func(func(step.Scope, int32) (int32, error) { return 0, fault.New("OfGo", "why") })
		return tells("OfGo: why", func(as cabi.Steps) error { return cabi.Add(as, &number, fails, &number) })
	}
	cases["timeouts_in_cxx"] = func() error {
		waits := step.New(func(as step.Scope, _ int32) step.Next[int32] {
			return step.Wait(as, func(step.Done[int32]) {})
		})
		limited := flow.Catch(flow.Timeout(least, waits), func(_ step.Scope, err error) step.Next[int32] {
			if !errors.Is(err, fault.Timeout) {
				return step.Fail[int32](err)
			}
			return step.Succeed(int32(7))
		})
		return tells("7", func(as cabi.Steps) error { return cabi.Add(as, &number, limited, &number) })
	}
	cases["cancel_by_cxx"] = cancelled
	cases["cxx_in_plan"] = cxxInPlan
}

// tells runs a flow of C++ with stages of Go in it, and returns an error unless the flow reports want.
func tells(want string, add stages) error {
	words, code := engine(add, func(e *C.engine, stages, told C.uintptr_t) { C.flows(e, stages, told) })
	if !slices.Equal(words, []string{want}) || code != "" {
		return fmt.Errorf("got %q, %q, want %q", words, code, want)
	}
	return nil
}

// C1: hook and cleanup have run when the cancel of C++ returns.
func cancelled() error {
	var events []string
	waits := step.New(func(as step.Scope, _ struct{}) step.Next[struct{}] {
		step.StackCleanup(as, func(*int) { events = append(events, "cleanup") })
		as.SetCancel(func() { events = append(events, "hook") })
		return step.Wait(as, func(step.Done[struct{}]) {})
	})
	words, code := engine(
		func(as cabi.Steps) error { return cabi.Add(as, &none, waits, &none) },
		func(e *C.engine, stages, told C.uintptr_t) { C.cancels(e, stages, told) },
	)
	if !slices.Equal(words, []string{"cancelled"}) || code != "" || !slices.Equal(events, []string{"hook", "cleanup"}) {
		return fmt.Errorf("got %q, %q, %q", words, code, events)
	}
	return nil
}

// Steps of C++, added with its wrapper, in a plan of ours.
func cxxInPlan() error {
	doubles := cabi.Func(func(as cabi.Steps, n int32) error {
		C.doubles((*C.FutoInAsyncSteps)(as.Binary()), C.int32_t(n))
		return nil
	}, &number)
	throws := cabi.Func(func(as cabi.Steps, _ int32) error {
		C.fails((*C.FutoInAsyncSteps)(as.Binary()))
		return nil
	}, &number)
	got, err := flow.Run(ctx, flow.Then(doubles, flow.Then(plusOne, doubles)), 10)
	if got != 42 || err != nil {
		return fmt.Errorf("got %d, %w", got, err)
	}
	_, err = flow.Run(ctx, flow.Then(doubles, throws), 10)
	if !errors.Is(err, fault.Code("OfCxx")) || fault.InfoOf(err) != "why" {
		return fmt.Errorf("got %w", err)
	}
	return nil
}
