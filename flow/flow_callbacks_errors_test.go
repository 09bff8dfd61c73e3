package flow_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

var errorContacts = []contact{
	{name: "Error of the run's error", effect: quiet, plan: failWith(func(do func()) error { return speaker(do) })},
	{name: "Unwrap of the run's error", effect: quiet, plan: failWith(func(do func()) error { return wrapper(do) })},
	{name: "Is and As of the run's error", effect: quiet, plan: failWith(func(do func()) error { return asker(do) })},
	{name: "Error of an error that others were joined to", effect: quiet, plan: func(do func()) intStep {
		return flow.Catch(joinedWithPanic(failWith(func(do func()) error { return speaker(do) })(do)), func(step.Scope, error) intNext {
			return step.Succeed(7)
		})
	}},
	{name: "Unwrap of an error that others were joined to", effect: quiet, plan: func(do func()) intStep {
		return flow.Catch(joinedWithPanic(failWith(func(do func()) error { return wrapper(do) })(do)), func(step.Scope, error) intNext {
			return step.Succeed(7)
		})
	}},
	{name: "Unwrap of an error that a race survives", effect: quiet, plan: func(do func()) intStep {
		return flow.First(joinedWithPanic(failWith(func(do func()) error { return wrapper(do) })(do)), step.Delay[int](time.Second))
	}},
	{name: "Unwrap of an error in a shielded step that is left", effect: quiet, plan: func(do func()) intStep {
		ends := flow.Then(step.Delay[int](3*time.Second/2), joinedWithPanic(failWith(func(do func()) error { return wrapper(do) })(do)))
		return flow.Catch(flow.Timeout(time.Second, flow.Shield(ends)), func(step.Scope, error) intNext { return step.Succeed(7) })
	}},
	{name: "Error of a value that was given to panic", effect: quiet, plan: func(do func()) intStep {
		return step.Map(func(int) int { panic(speaker(do)) })
	}},
	{name: "String of a value that was given to panic", effect: quiet, plan: func(do func()) intStep {
		return step.Map(func(int) int { panic(stringer(do)) })
	}},
	{
		name: "Error of the cause of a cancel", effect: quiet,
		plan: func(func()) intStep {
			return step.New(func(as step.Scope, _ int) intNext { return step.Wait[int](as, nil) })
		},
		after: func(r *flow.Running[int], do func()) { r.Cancel(speaker(do)) },
	},
	cancelledLast(),
}

// cancelledLast returns a contact for the cause of a cancel that comes when the step has been
// completed, but hasn't gone on.
func cancelledLast() contact {
	var asked chan struct{} // closed when the cancel was asked for
	return contact{
		name: "Error of the cause of a cancel in the last step", effect: quiet,
		plan: func(func()) intStep {
			asked = make(chan struct{})
			return step.New(func(as step.Scope, _ int) intNext {
				return step.Wait(as, func(d step.Done[int]) {
					d.Succeed(1)
					<-asked //stepvet:ignore the loop has to be held up
				})
			})
		},
		after: func(r *flow.Running[int], do func()) {
			defer close(asked)
			r.Cancel(wrapper(do))
		},
	}
}

func failWith(err func(do func()) error) func(do func()) intStep {
	return func(do func()) intStep {
		return step.Func(func(step.Scope, int) (int, error) { return 0, err(do) })
	}
}

func joinedWithPanic(s intStep) intStep {
	return flow.OnCancel(s, func(step.Scope) { panic("a hook") })
}

// Each of these types has a method that calls the function. All but stringer are errors.
type (
	speaker  func()
	wrapper  func()
	asker    func()
	stringer func()
)

func (s speaker) Error() string   { s(); return "speaker" }
func (w wrapper) Error() string   { return "wrapper" }
func (w wrapper) Unwrap() error   { w(); return nil }
func (a asker) Error() string     { return "asker" }
func (a asker) Is(error) bool     { a(); return false }
func (a asker) As(any) bool       { a(); return false }
func (s stringer) String() string { s(); return "stringer" }

type pointerError struct{ text string }

func (o *pointerError) Error() string { return o.text }

func TestE6TypedNil(t *testing.T) {
	for name, nothing := range map[string]error{
		"*fault.Error": (*fault.Error)(nil), "*fault.Panic": (*fault.Panic)(nil), "a type of the user's": (*pointerError)(nil),
	} {
		for at, plan := range map[string]intStep{
			"Func":  failWith(func(func()) error { return nothing })(nil),
			"Fail":  step.New(func(step.Scope, int) intNext { return step.Fail[int](nothing) }),
			"Await": step.Await(func(context.Context, int) (int, error) { return 0, nothing }),
			"Done.Fail": step.New(func(as step.Scope, _ int) intNext {
				return step.Wait(as, func(d step.Done[int]) { d.Fail(nothing) })
			}),
			"panic":   step.Map(func(int) int { panic(nothing) }),
			"handler": flow.Catch(step.Func(fail), func(step.Scope, error) intNext { return step.Fail[int](nothing) }),
			"joined":  flow.Catch(joinedWithPanic(failWith(func(func()) error { return nothing })(nil)), func(step.Scope, error) intNext { return intNext{} }),
		} {
			t.Run(name+" by "+at, func(t *testing.T) {
				_, err := flow.Run(t.Context(), plan, 1)
				if fault.CodeOf(err) != fault.InternalError || !errors.Is(err, nothing) {
					t.Errorf("Run gives %v", err)
				}
				if err.Error() == "" {
					t.Error("the error has no text")
				}
				loop := tool.Start(tool.Options{})
				if _, err := flow.Start(t.Context(), loop, plan, 1).Wait(t.Context()); !errors.Is(err, nothing) {
					t.Errorf("Start gives %v", err)
				}
				if err := loop.Shutdown(t.Context()); err != nil {
					t.Errorf("the loop doesn't end: %v", err)
				}
			})
		}
	}
}
