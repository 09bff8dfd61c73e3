package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var unstorable = map[string]func() any{
	"not a number":  func() any { return math.NaN() },
	"channel":       func() any { return []any{1, make(chan int)} },
	"three million": func() any { return strings.Repeat("x", 3_000_000) },
	"five million":  func() any { return strings.Repeat("x", 5_000_000) },
}

// value is a plan with a value, named by of, that can't be stored.
type value struct {
	of     string
	calls  int32 // how often the body is called
	w      *durable.Workflow[string, any]
	called *atomic.Int32
}

// values returns plans in which the input or the result of a body, the result of the run, or the input of a call can't be stored.
func values() (all []value) {
	for kind, of := range unstorable {
		for place, calls := range map[string]int32{"input": 0, "result": 1, "run": 1, "call": 0} {
			called := new(atomic.Int32)
			at := func(here string, otherwise any) any {
				if here == place {
					return of()
				}
				return otherwise
			}
			before := step.Map(func(string) any { return at("input", 1) })
			body := step.Await(func(context.Context, any) (any, error) { called.Add(1); return at("result", 2), nil })
			plan := flow.Then(before, flow.Chain(body, step.Map(func(any) any { return at("run", 3) })))
			if place == "call" {
				plan = flow.Then(step.Map(func(string) any { return of() }), flow.Named("inner", flow.Call(body)))
			}
			all = append(all, value{kind + " " + place, calls, durable.New(kind+" "+place, plan), called})
		}
	}
	return all
}

func (v value) check(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, durable.ErrUnstorable) || fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("%s: got %v", v.of, err)
	}
	if v.called.Load() != v.calls {
		t.Errorf("%s: the body was called %d times, want %d", v.of, v.called.Load(), v.calls)
	}
}

// A value that can't be stored is an error of its step or its run. No body is called with it, or called again because of such a result.
func TestUnstorable(t *testing.T) {
	for _, v := range values() {
		_, err := durabletest.Run(v.w, "")
		v.check(t, err)
	}
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		for _, v := range values() {
			run, err := v.w.Start(t.Context(), on, v.of, "")
			if err != nil {
				t.Fatal(err)
			}
			_, err = run.Wait(t.Context())
			v.check(t, err)
		}
	})
}

// The client may have a converter of its own.
func TestUnstorableOnServer(t *testing.T) {
	s := serve(t)
	for queue, data := range map[string]converter.DataConverter{"plain": nil, "sealed": converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), newEncryptingCodec(t))} {
		c := s.clientWith(client.Options{DataConverter: data})
		all := values()
		var registers []func(temporal.Registry) error
		for _, v := range all {
			registers = append(registers, temporal.Of(v.w).Register)
		}
		work(t, c, queue, registers...)
		for _, v := range all {
			run, err := v.w.Start(t.Context(), temporal.Engine(c, queue), queue+" "+v.of, "")
			if err != nil {
				t.Fatal(err)
			}
			_, err = run.Wait(withinLimit(t))
			v.check(t, err)
			if err = replay(t, c, v.w, queue+" "+v.of); queue == "plain" && err != nil {
				t.Errorf("%s: replay: %v", v.of, err)
			}
		}
	}
}

// The converter of the client stores NaN, which the default one can't.
func TestOwnConverterOnServer(t *testing.T) {
	c := serve(t).clientWith(client.Options{DataConverter: converter.NewCompositeDataConverter(converter.NewNilPayloadConverter(), nanAsText{converter.NewJSONPayloadConverter()})})
	w := durable.New("nans", step.Await(func(context.Context, string) (any, error) { return math.NaN(), nil }))
	work(t, c, "nans", temporal.Of(w).Register)
	run, err := w.Start(t.Context(), temporal.Engine(c, "nans"), "nans-1", "")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := run.Wait(withinLimit(t)); out != "NaN" || err != nil {
		t.Errorf("got %v, %v", out, err)
	}
}

type nanAsText struct {
	*converter.JSONPayloadConverter
}

func (n nanAsText) ToPayload(v any) (*common.Payload, error) {
	if f, ok := v.(float64); ok && math.IsNaN(f) {
		v = "NaN"
	}
	return n.JSONPayloadConverter.ToPayload(v)
}

func TestUnstorableInput(t *testing.T) {
	w := durable.New("any", step.Map(func(v any) any { return v }))
	check := func(t *testing.T, on durable.Engine) {
		for kind, of := range unstorable {
			if _, err := w.Start(t.Context(), on, kind, of()); !errors.Is(err, durable.ErrUnstorable) {
				t.Errorf("%s as an input: %v", kind, err)
			}
		}
		waiting := durable.New("waiting", durable.Signal[any]("go"))
		run, err := waiting.Start(t.Context(), on, "waiting", struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		for kind, of := range unstorable {
			if err = durable.Send(t.Context(), run, "go", of()); !errors.Is(err, durable.ErrUnstorable) {
				t.Errorf("%s as a signal: %v", kind, err)
			}
		}
	}
	enginetest.Locally(t, check)
	t.Run("server", func(t *testing.T) { check(t, temporal.Engine(serve(t).client(), "any")) })
}

// The text is cut, and the body isn't called again.
func TestLongErrorOnServer(t *testing.T) {
	var calls atomic.Int32
	w := durable.New("long", step.Await(func(context.Context, string) (string, error) {
		calls.Add(1)
		return "", fault.New("Long", strings.Repeat("é", 3_000_000))
	}))
	c := serve(t).client()
	work(t, c, "long", temporal.Of(w).Register)
	run, err := w.Start(t.Context(), temporal.Engine(c, "long"), "long", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = run.Wait(withinLimit(t)); !errors.Is(err, fault.Code("Long")) || len(err.Error()) > 100<<10 || !utf8.ValidString(err.Error()) || calls.Load() != 1 {
		t.Errorf("got an error of %d bytes after %d calls", len(fmt.Sprint(err)), calls.Load())
	}
}

type speechless struct{}

func (speechless) Error() string { panic("no text") }

type unwilling struct{ leaves bool }

func (u unwilling) MarshalJSON() ([]byte, error) {
	if u.leaves {
		runtime.Goexit()
	}
	panic("no writing")
}

// A method of an error or a result that panics, or ends its goroutine, fails the step. The body isn't called again.
func TestMethodsPanic(t *testing.T) {
	for name, c := range map[string]struct {
		out  any
		err  error
		want string
	}{
		"error":  {nil, speechless{}, "no text"},
		"result": {unwilling{}, nil, "no writing"},
		"leaves": {unwilling{leaves: true}, nil, "Goexit"},
	} {
		for _, local := range []bool{false, true} {
			calls := 0
			w := durable.New(name, flow.Named("body", step.Await(func(context.Context, int) (any, error) {
				if calls++; calls > 1 {
					return nil, nil //nolint:nilnil // so that the run ends if the body is called again
				}
				return c.out, c.err
			})))
			on := temporal.Of(w)
			if local {
				on = on.LocalStep("body", workflow.LocalActivityOptions{StartToCloseTimeout: time.Minute})
			}
			e := env(t, on.Register)
			e.ExecuteWorkflow(name, 1)
			err := on.Decode(e.GetWorkflowError())
			if err == nil || !strings.Contains(err.Error(), c.want) || calls != 1 || c.err == nil && !errors.Is(err, durable.ErrUnstorable) {
				t.Errorf("%s, local %t: got %v after %d calls", name, local, err, calls)
			}
		}
	}
}

func TestGoexit(t *testing.T) {
	leaves := func() step.Step[string, string] { return step.Map(func(string) string { runtime.Goexit(); return "" }) }
	caught := flow.Catch(leaves(), func(step.Scope, error) step.Next[string] { return step.Succeed("caught") })
	w := durable.New("leaves", flow.Chain(caught, appendUnnamed("on"), leaves()))
	check := func(t *testing.T, err error) {
		t.Helper()
		if !errors.Is(err, fault.InternalError) || !strings.Contains(err.Error(), "Goexit") || !strings.Contains(err.Error(), "step 2") {
			t.Errorf("got %v", err)
		}
	}
	_, err := durabletest.Run(w, "")
	check(t, err)
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		run, err := w.Start(t.Context(), on, "leaves", "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = run.Wait(t.Context())
		check(t, err)
	})
	c := serve(t).client()
	work(t, c, "leaves", temporal.Of(w).Register)
	run, err := w.Start(t.Context(), temporal.Engine(c, "leaves"), "leaves", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = run.Wait(withinLimit(t))
	check(t, err)
}
