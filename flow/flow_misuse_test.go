package flow_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Wrong input and misuse give an error that has a code and names the step or its build site.

func here() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

func TestNotWellFormed(t *testing.T) {
	type plan = flow.Plan[int, int]
	id := step.Map(func(i int) int { return i })
	first := step.Map(func(all []int) int { return all[0] })
	one := func(err error, site string) (error, string) { return err, site }
	for _, c := range []struct {
		name  string
		build func() (plan, string)
		says  string
	}{
		{"zero plan", func() (plan, string) { return flow.Then(plan{}, id), here() }, "Then"},
		{"nil step", func() (plan, string) { return flow.Of[int, int](nil), here() }, "nil"},
		{"nil body of Map", func() (plan, string) { return flow.Of(step.Map[int, int](nil)), here() }, "step.Map: the body is nil"},
		{"nil body of Func", func() (plan, string) { return flow.Of(step.Func[int, int](nil)), here() }, "step.Func: the body is nil"},
		{"nil body of New", func() (plan, string) { return flow.Of(step.New[int, int](nil)), here() }, "step.New: the body is nil"},
		{"nil function of DelayBy", func() (plan, string) { return flow.Of(step.DelayBy[int](nil)), here() }, "step.DelayBy: the function is nil"},
		{"nil body of Await", func() (plan, string) { return flow.Of(step.Await[int, int](nil)), here() }, "step.Await: the body is nil"},
		{"nil first stage", func() (plan, string) { return flow.Then[int, int, int](nil, id), here() }, "first"},
		{"nil second stage", func() (plan, string) { return flow.Then[int, int, int](id, nil), here() }, "second"},
		{"nil in Chain", func() (plan, string) { return flow.Chain(id, nil), here() }, "Chain"},
		{"nil branch of Par", func() (plan, string) { return flow.Then(flow.Par(id, nil), first), here() }, "Par"},
		{"nil stage of Catch", func() (plan, string) {
			return flow.Catch[int, int](nil, func(step.Scope, error) step.Next[int] { return step.Unwind[int]() }), here()
		}, "Catch"},
		{"nil handler", func() (plan, string) { return flow.Catch(id, nil), here() }, "Catch: the handler is nil"},
		{"nil stage of Timeout", func() (plan, string) { return flow.Timeout[int, int](1, nil), here() }, "Timeout"},
		{"zero limit", func() (plan, string) { return flow.Timeout(0, id), here() }, "positive, got 0s"},
		{"negative limit", func() (plan, string) { return flow.Timeout(-time.Second, id), here() }, "positive, got -1s"},
		{"zero grace", func() (plan, string) { return flow.Grace(0, id), here() }, "Grace: the grace must not be zero"},
		{"nil stage of OnCancel", func() (plan, string) { return flow.OnCancel[int, int](nil, func(step.Scope) {}), here() }, "OnCancel"},
		{"nil hook", func() (plan, string) { return flow.OnCancel(id, nil), here() }, "OnCancel: the hook is nil"},
		{"nil stage of Named", func() (plan, string) { return flow.Named[int, int]("x", nil), here() }, "Named x"},
		{"nil stage of Call", func() (plan, string) { return flow.Call[int, int](nil), here() }, "Call"},
		{"nil model", func() (plan, string) { return flow.CopyFrom(flow.Model[int, int]{}), here() }, "CopyFrom"},
		{"reserved name in a model", func() (plan, string) {
			return flow.CopyFrom(flow.Model[int, int]{Steps: id, State: map[string]any{step.ErrorInfo: ""}}), here()
		}, step.ErrorInfo},
		{"nil source of AwaitChan", func() (plan, string) { return flow.AwaitChan[int, int](nil), here() }, "AwaitChan"},
		{"nil start of AwaitRun", func() (plan, string) { return flow.AwaitRun[int, int](nil), here() }, "AwaitRun"},
		{"deep inside", func() (plan, string) {
			return flow.Call(flow.Timeout(time.Second, flow.Catch(flow.Chain(id, nil), func(step.Scope, error) step.Next[int] {
				return step.Unwind[int]()
			}))), ""
		}, "Chain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, site := c.build()
			check := func(how string, err error) {
				t.Helper()
				e := plantest.WantCode(t, err, fault.InvalidRequest)
				if !strings.Contains(e.Info, c.says) {
					t.Errorf("%s says %q, want %q in it", how, e.Info, c.says)
				}
				if got := e.Site.String(); site != "" && got != site {
					t.Errorf("%s says it was built at %s, want %s", how, got, site)
				}
			}
			check("Err", p.Err())
			_, err := flow.Run(t.Context(), p, 1)
			check("Run", err)
			l := tooltest.New()
			r := flow.Start(t.Context(), l, p, 1)
			_, err = r.Result()
			check("Start", err)
			if l.Pending() != 0 {
				t.Error("something was queued")
			}
			_, err = flow.Run(t.Context(), step.New(func(as step.Scope, i int) step.Next[int] { return step.Into(as, p, i) }), 1)
			plantest.WantCode(t, err, fault.InvalidRequest)
		})
	}
	for _, c := range []struct {
		name string
		err  func() (error, string)
	}{
		{"zero Plan", func() (error, string) { return one(plan{}.Err(), here()) }},
		{"bound of zero", func() (error, string) { return one(flow.ParEach(0, id).Err(), here()) }},
		{"nil stage of ParEach", func() (error, string) { return one(flow.ParEach[int, int](1, nil).Err(), here()) }},
		{"nil branch of Par2", func() (error, string) { return one(flow.Par2[int, int, int](id, nil).Err(), here()) }},
		{"nil branch of Par3", func() (error, string) { return one(flow.Par3[int, int, int, int](id, nil, id).Err(), here()) }},
		{"Run of nil", func() (error, string) {
			_, err := flow.Run[int, int](context.Background(), nil, 1)
			return one(err, here()[:len("flow_misuse_test.go")])
		}},
		{"Start of nil", func() (error, string) {
			_, err := flow.Start[int, int](context.Background(), tooltest.New(), nil, 1).Result()
			return one(err, here()[:len("flow_misuse_test.go")])
		}},
		{"Start on a nil loop", func() (error, string) {
			_, err := flow.Start(context.Background(), nil, id, 1).Wait(context.Background())
			return one(err, here()[:len("flow_misuse_test.go")])
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err, site := c.err()
			if e := plantest.WantCode(t, err, fault.InvalidRequest); !strings.HasPrefix(e.Site.String(), site) {
				t.Errorf("says it was built at %v, want %s", e.Site, site)
			}
		})
	}
	t.Run("every defect is reported, with its place", func(t *testing.T) {
		bad, site := flow.Chain(flow.Of(step.Map[int, int](nil)), flow.Of(step.Func[int, int](nil)), flow.Catch(id, nil)), here()
		_, ran := flow.Run(t.Context(), bad, 1)
		for _, text := range []string{fmt.Sprint(bad.Err()), fmt.Sprintf("%+v", bad.Err()), fmt.Sprint(ran), fmt.Sprintf("%+v", ran)} {
			for _, want := range []string{"step.Map: the body", "step.Func: the body", "Catch: the handler is nil"} {
				if !strings.Contains(text, want) {
					t.Errorf("%q doesn't say %q", text, want)
				}
			}
			if strings.Count(text, site) != 3 {
				t.Errorf("%q doesn't say %s for each defect", text, site)
			}
		}
	})
	t.Run("a sound plan has no error", func(t *testing.T) {
		if err := flow.Of(id).Err(); err != nil {
			t.Error(err)
		}
	})
}

func TestRefusedRuns(t *testing.T) {
	var rec recorder
	body := rec.step("body")
	errWhy := errors.New("why")
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errWhy)
	expired, release := context.WithDeadlineCause(t.Context(), time.Unix(0, 0), errWhy)
	defer release()
	for _, c := range []struct {
		name string
		ctx  context.Context
		code fault.Code
		is   []error
	}{
		{"cancelled context", cancelled, fault.Cancelled, []error{context.Canceled, errWhy}},
		{"expired context", expired, fault.Timeout, []error{context.DeadlineExceeded, errWhy}},
		{"nil context", nil, fault.InvalidRequest, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, run := flow.Run(c.ctx, body, none{})
			l := tooltest.New()
			r := flow.Start(c.ctx, l, body, none{})
			_, started := r.Result()
			_, waited := r.Wait(t.Context())
			l.Run()
			for how, err := range map[string]error{"Run": run, "Start": started, "Wait": waited} {
				plantest.WantCode(t, err, c.code)
				for _, want := range c.is {
					if !errors.Is(err, want) {
						t.Errorf("%s: %v is not %v", how, err, want)
					}
				}
			}
			<-r.Done()
			rec.Want(t)
		})
	}
	t.Run("loop that is shut down", func(t *testing.T) {
		l := tool.Start(tool.Options{})
		if err := l.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := flow.Start(t.Context(), l, body, none{})
		<-r.Done()
		if _, err := r.Result(); !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("ended with %v", err)
		} else if _, ok := errors.AsType[*fault.Error](err); !ok {
			t.Errorf("got a %T", err)
		}
		rec.Want(t)
	})
	t.Run("Wait on the run's own loop", func(t *testing.T) {
		l := tool.Start(tool.Options{})
		defer l.Shutdown(context.Background())
		self := make(chan *flow.Running[none], 1)
		got := make(chan error, 1)
		own := flow.Start(t.Context(), l, step.New(func(as step.Scope, _ none) step.Next[none] {
			return step.Wait(as, func(done step.Done[none]) {
				as.Loop().Immediate(func() {
					_, err := (<-self).Wait(context.Background())
					got <- err
					done.Succeed(none{})
				})
			})
		}), none{})
		self <- own
		if err := <-got; !errors.Is(err, flow.ErrOnLoop) {
			t.Errorf("Wait gave %v", err)
		}
		if _, err := own.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("Wait with a nil context, Then with a nil function", func(t *testing.T) {
		l := tooltest.New()
		r := flow.Start(t.Context(), l, step.Map(func(none) int { return 3 }), none{})
		if _, err := r.Wait(nil); !errors.Is(err, fault.InvalidRequest) { //nolint:staticcheck // the test is about nil
			t.Errorf("Wait gave %v", err)
		}
		r.Then(nil)
		l.Run()
		r.Then(nil)
		if v, err := r.Result(); v != 3 || err != nil || len(l.Errors()) != 0 {
			t.Errorf("ended with %d, %v, reported %v", v, err, l.Errors())
		}
	})
	t.Run("Wait with a context that ends leaves the run alone", func(t *testing.T) {
		l := tool.Start(tool.Options{})
		defer l.Shutdown(context.Background())
		ready := make(chan step.Done[int], 1)
		r := flow.Start(t.Context(), l, step.New(func(as step.Scope, _ none) step.Next[int] {
			return step.Wait(as, func(done step.Done[int]) { ready <- done })
		}), none{})
		done := <-ready
		if _, err := r.Wait(cancelled); !errors.Is(err, errWhy) {
			t.Errorf("Wait gave %v", err)
		}
		done.Succeed(3)
		if v, err := r.Wait(t.Context()); v != 3 || err != nil {
			t.Errorf("ended with %d, %v", v, err)
		}
	})
}
