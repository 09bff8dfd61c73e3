package flow_test

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Examples of FTN12 §3; those of §1 are in spec_test.go.

// results holds the arguments that the spec's example passes to success.
type results struct{ res1, res2 int }

func TestSpec3_1SingleLevelSteps(t *testing.T) {
	for something, want := range map[bool]string{true: "externalSuccess 1 2", false: "externalError NotImplemented"} {
		var rec recorder
		_, err := plantest.Run(t, flow.Then(
			flow.Catch(
				step.New(func(step.Scope, none) step.Next[results] {
					if something {
						return step.Succeed(results{1, 2})
					}
					return step.Fail[results](fault.NotImplemented)
				}),
				func(_ step.Scope, err error) step.Next[results] {
					rec.Recordf("externalError %s", fault.CodeOf(err))
					return step.Next[results]{}
				}),
			step.Map(func(r results) none {
				rec.Recordf("externalSuccess %d %d", r.res1, r.res2)
				return none{}
			}),
		), none{})
		rec.Want(t, want)
		if something != (err == nil) {
			t.Errorf("something=%v ended with %v", something, err)
		}
	}
}

func TestSpec3_2SubSteps(t *testing.T) {
	for something, want := range map[bool][]string{
		true:  {"externalSuccess 1 2"},
		false: {"Spotted error NotImplemented", "externalError NotImplemented"},
	} {
		var rec recorder
		inner := flow.Then(
			flow.Catch(
				step.New(func(step.Scope, none) step.Next[int] {
					if something {
						return step.Succeed(1)
					}
					return step.Fail[int](fault.NotImplemented)
				}),
				func(_ step.Scope, err error) step.Next[int] {
					rec.Recordf("Spotted error %s", fault.CodeOf(err))
					return step.Next[int]{} // continue with higher level error handlers
				}),
			step.Map(func(res1 int) results { return results{res1, 2} }),
		)
		_, err := plantest.Run(t, flow.Then(
			flow.Catch(
				step.New(func(as step.Scope, _ none) step.Next[results] { return step.Into(as, inner, none{}) }),
				func(_ step.Scope, err error) step.Next[results] {
					rec.Recordf("externalError %s", fault.CodeOf(err))
					return step.Next[results]{}
				}),
			step.Map(func(r results) none {
				rec.Recordf("externalSuccess %d %d", r.res1, r.res2)
				return none{}
			}),
		), none{})
		rec.Want(t, want...)
		if something != (err == nil) {
			t.Errorf("something=%v ended with %v", something, err)
		}
	}
}

func TestSpec3_3ParallelAndState(t *testing.T) {
	first, second := step.NewVar[int]("parallel_1"), step.NewVar[int]("parallel_2")
	errJob := fault.New("JobFailed", "no luck")
	for _, c := range []struct {
		name  string
		fail1 bool
		fail2 bool
		want  []string
	}{
		{"both succeed", false, false, []string{"externalSuccess 1 2"}},
		{"the second is ignored", false, true, []string{"externalSuccess 1 0"}},
		{"the first fails", true, false, []string{"Spotted error JobFailed", "externalError JobFailed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rec recorder
			set := func(v step.Var[int], value int, fail bool) step.Step[none, none] {
				return step.Func(func(as step.Scope, _ none) (none, error) {
					if fail {
						return none{}, errJob
					}
					v.Set(as, value)
					return none{}, nil
				})
			}
			_, err := plantest.Run(t, flow.Then(
				flow.Catch(
					flow.Par[none, none](
						flow.Catch(set(first, 1, c.fail1), func(_ step.Scope, err error) step.Next[none] {
							rec.Recordf("Spotted error %s", fault.CodeOf(err))
							return step.Next[none]{} // continue with higher level error handlers
						}),
						flow.Catch(set(second, 2, c.fail2), func(as step.Scope, _ error) step.Next[none] {
							second.Set(as, 0)
							return step.Succeed(none{}) // ignore error
						}),
					),
					func(_ step.Scope, err error) step.Next[[]none] {
						rec.Recordf("externalError %s", fault.CodeOf(err))
						return step.Next[[]none]{}
					}),
				step.Func(func(as step.Scope, _ []none) (none, error) {
					one, _ := first.Get(as)
					two, _ := second.Get(as)
					rec.Recordf("externalSuccess %d %d", one, two)
					return none{}, nil
				}),
			), none{})
			rec.Want(t, c.want...)
			if c.fail1 != errors.Is(err, errJob) {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

func TestSpec3_5ExternalEventWait(t *testing.T) {
	errExternal := errors.New("external")
	for _, want := range []error{nil, errExternal} {
		var rec recorder
		var callback func(error) // the callback that the spec's example passes to callSomeExternal
		p := flow.Chain(
			step.New(func(as step.Scope, _ none) step.Next[none] {
				return step.Wait(as, func(done step.Done[none]) {
					callback = func(err error) {
						if err != nil {
							done.Fail(err)
						} else {
							done.Succeed(none{})
						}
					}
				})
			}),
			rec.step("next"),
		)
		l := tooltest.New()
		r := flow.Start(t.Context(), l, p, none{})
		l.Run()
		rec.Want(t) // nothing happens: the step waits
		callback(want)
		rec.Want(t) // nothing happens inside of the callback
		l.Run()
		if _, err := r.Result(); !errors.Is(err, want) {
			t.Errorf("ended with %v, want %v", err, want)
		}
		if want == nil {
			rec.Want(t, "next")
		} else {
			rec.Want(t)
		}
	}
}
