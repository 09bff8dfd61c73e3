package flow_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Examples of FTN12 §1 as users would write them, with their output.

func TestSpec1_1Levels(t *testing.T) {
	var rec recorder
	parallel := func(line string) step.Step[none, none] {
		return flow.Then(flow.Par(rec.step(line)), flow.Value[[]none](none{}))
	}
	holding := func(line string, subs step.Step[none, none]) step.Step[none, none] {
		return step.New(func(as step.Scope, _ none) step.Next[none] {
			rec.Recordf("%s", line)
			return step.Into(as, subs, none{})
		})
	}
	plantest.WantResult(t, flow.Chain(
		holding("Level 0 add #1", flow.Chain(
			holding("Level 1 add #1", flow.Chain(
				rec.step("Level 2 add #1"),
				parallel("Level 2 parallel #2"),
				rec.step("Level 2 add #3"),
			)),
			parallel("Level 1 parallel #2"),
			rec.step("Level 1 add #3"),
		)),
		parallel("Level 0 parallel #2"),
		rec.step("Level 0 add #3"),
	), none{}, none{})
	rec.Want(t,
		"Level 0 add #1",
		"Level 1 add #1",
		"Level 2 add #1",
		"Level 2 parallel #2",
		"Level 2 add #3",
		"Level 1 parallel #2",
		"Level 1 add #3",
		"Level 0 parallel #2",
		"Level 0 add #3",
	)
}

func TestSpec1_2ErrorHandling(t *testing.T) {
	var rec recorder
	level1 := flow.Catch(
		step.New(func(step.Scope, none) step.Next[string] {
			rec.Recordf("Level 1 func")
			return step.Fail[string](fault.Code("myerror"))
		}),
		func(_ step.Scope, err error) step.Next[string] {
			rec.Recordf("Level 1 onerror: %s", fault.CodeOf(err))
			return step.Fail[string](fault.Code("newerror"))
		})
	plantest.WantResult(t, flow.Then(
		flow.Catch(
			step.New(func(as step.Scope, _ none) step.Next[string] {
				rec.Recordf("Level 0 func")
				return step.Into(as, level1, none{})
			}),
			func(_ step.Scope, err error) step.Next[string] {
				rec.Recordf("Level 0 onerror: %s", fault.CodeOf(err))
				return step.Succeed("Prm")
			}),
		step.Map(func(param string) none {
			rec.Recordf("Level 0 func2: %s", param)
			return none{}
		}),
	), none{}, none{})
	rec.Want(t,
		"Level 0 func",
		"Level 1 func",
		"Level 1 onerror: myerror",
		"Level 0 onerror: newerror",
		"Level 0 func2: Prm",
	)
}

func TestSpec1_2_1StepsInHandler(t *testing.T) {
	var rec recorder
	level2 := flow.Catch(
		rec.failing("Level 2 func", fault.Code("second")),
		func(_ step.Scope, err error) step.Next[none] {
			rec.Recordf("Level 2 onerror: %s", fault.CodeOf(err))
			return step.Next[none]{}
		})
	level1 := flow.Catch(
		rec.failing("Level 1 func", fault.Code("first")),
		func(as step.Scope, err error) step.Next[none] {
			rec.Recordf("Level 1 onerror: %s", fault.CodeOf(err))
			return step.Into(as, level2, none{})
		})
	_, err := plantest.Run(t, flow.Catch(
		step.New(func(as step.Scope, _ none) step.Next[none] {
			rec.Recordf("Level 0 func")
			return step.Into(as, level1, none{})
		}),
		func(_ step.Scope, err error) step.Next[none] {
			rec.Recordf("Level 0 onerror: %s", fault.CodeOf(err))
			return step.Next[none]{}
		}), none{})
	plantest.WantCode(t, err, "second")
	rec.Want(t,
		"Level 0 func",
		"Level 1 func",
		"Level 1 onerror: first",
		"Level 2 func",
		"Level 2 onerror: second",
		"Level 0 onerror: second",
	)
}

type socket struct {
	loop   tool.Tool
	after  time.Duration
	data   string
	err    error
	b      *recorder
	timers []tool.Handle
}

func (s *socket) read(done func(data string, err error)) {
	h, _ := s.loop.Deferred(s.after, func() { done(s.data, s.err) })
	s.timers = append(s.timers, h)
}

func (s *socket) cancelRead() {
	s.b.Recordf("cancel_read")
	for _, h := range s.timers {
		s.loop.Cancel(h)
	}
}

func TestSpec1_3WaitForExternal(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		err   error
		ended time.Duration
		want  []string
		code  fault.Code
	}{
		{"data", 10 * time.Second, nil, 10 * time.Second, []string{"got data"}, ""},
		{"timeout", time.Hour, nil, 30 * time.Second, []string{"cancel_read", "Timeout"}, fault.Timeout},
		{"read error", time.Second, errors.New("reset"), time.Second, []string{"cancel_read", "Read Error"}, fault.InternalError},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rec recorder
			l := tooltest.New()
			s := &socket{loop: l, after: c.after, data: "data", err: c.err, b: &rec}
			read := flow.Catch(
				step.New(func(as step.Scope, _ none) step.Next[string] {
					as.SetCancel(s.cancelRead)
					as.SetTimeout(30 * time.Second)
					return step.Wait(as, func(done step.Done[string]) {
						s.read(func(data string, err error) {
							if err != nil {
								done.Fail(err)
								return
							}
							done.Succeed(data)
						})
					})
				}),
				func(_ step.Scope, err error) step.Next[string] {
					if errors.Is(err, fault.Timeout) {
						rec.Recordf("Timeout")
					} else {
						rec.Recordf("Read Error")
					}
					return step.Next[string]{}
				})
			r := flow.Start(t.Context(), l, flow.Then(read, step.Map(func(data string) none {
				rec.Recordf("got %s", data)
				return none{}
			})), none{})
			l.Run()
			rec.Want(t, c.want...)
			if _, err := r.Result(); fault.CodeOf(err) != c.code {
				t.Errorf("ended with %v, want code %q", err, c.code)
			}
			if l.Now() != c.ended {
				t.Errorf("ended after %v, want %v", l.Now(), c.ended)
			}
		})
	}
}

func TestSpec1_4ParallelAbort(t *testing.T) {
	result1, result2 := step.NewVar[int]("result1"), step.NewVar[int]("result2")
	for _, c := range []struct {
		name string
		fail bool
		want []string
		code fault.Code
	}{
		{"one fails", true, []string{"start 1", "start 2", "start 3", "cancel 1", "cancel 2"}, "Some Error"},
		{"all succeed", false, []string{"start 1", "start 2", "start 3", "sum 3"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rec recorder
			job := func(n int, result step.Var[int]) step.Step[none, none] {
				return step.New(func(as step.Scope, _ none) step.Next[none] {
					rec.Recordf("start %d", n)
					as.SetCancel(func() { rec.Recordf("cancel %d", n) })
					return step.Wait(as, func(done step.Done[none]) {
						as.Loop().Deferred(time.Second, func() {
							if as.Valid() {
								result.Set(as, n)
							}
							done.Succeed(none{})
						})
					})
				})
			}
			third := rec.step("start 3")
			if c.fail {
				third = rec.failing("start 3", fault.Code("Some Error"))
			}
			_, err := plantest.Run(t, flow.Then(
				flow.Par(job(1, result1), job(2, result2), third),
				step.Func(func(as step.Scope, _ []none) (none, error) {
					one, _ := result1.Get(as)
					two, _ := result2.Get(as)
					rec.Recordf("sum %d", one+two)
					return none{}, nil
				}),
			), none{})
			if fault.CodeOf(err) != c.code {
				t.Errorf("ended with %v, want code %q", err, c.code)
			}
			rec.Want(t, c.want...)
		})
	}
}

func TestSpec1_5Cloning(t *testing.T) {
	var rec recorder
	type logic = flow.Model[none, none]
	business := step.NewVar[logic]("business_logic")
	user := step.NewVar[string]("user")
	greet := func(word string) step.Step[none, none] {
		return step.Func(func(as step.Scope, _ none) (none, error) {
			name, _ := user.Get(as)
			rec.Recordf("%s %s", word, name)
			return none{}, nil
		})
	}
	common := step.New(func(as step.Scope, _ none) step.Next[none] {
		model, _ := business.Get(as)
		return step.Into(as, flow.Chain(rec.step("before"), flow.CopyFrom(model), rec.step("after")), none{})
	})
	for word, name := range map[string]string{"hello": "Ann", "bye": "Bob"} {
		rec = recorder{}
		plantest.WantResult(t, flow.CopyFrom(logic{
			Steps: common,
			State: map[string]any{"business_logic": logic{
				Steps: flow.Chain(greet(word), greet("again")),
				State: map[string]any{"user": name},
			}},
		}), none{}, none{})
		rec.Want(t, "before", word+" "+name, "again "+name, "after")
	}
}

func TestSpec1_6ImplicitSuccess(t *testing.T) {
	var rec recorder
	plantest.WantResult(t, flow.Chain(
		step.New(func(step.Scope, none) (next step.Next[none]) {
			rec.Recordf("doSomeStuff")
			return
		}),
		rec.step("next"),
	), none{}, none{})
	rec.Want(t, "doSomeStuff", "next")
}

func TestSpec1_12SuccessStep(t *testing.T) {
	var rec recorder
	plantest.WantResult(t, flow.Then(rec.step("subStep"), flow.Value[none](123)), none{}, 123)
	rec.Want(t, "subStep")
}
