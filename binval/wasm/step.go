package wasm

import (
	"context"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/dyn"
	"github.com/futoin-go/asyncsteps/step"
)

// Step returns a stage whose step is an export of the module. The export must be a function with the parameters of
// FutoInAsyncSteps_execute_callback: as, data, which is 0, and args. The steps that the guest adds, its waits, loops and guards are part
// of the run that executes the stage. Other things that it has started, such as timers and roots, are cancelled when its step has ended.
//
// In and Out cross as one value of binval: numbers, bools, strings, and slices of numbers and bools, with the same type on both sides or
// one that holds the value exactly. Other types, including named ones, cross as JSON in a string. struct{} stands for no value. Strings,
// slices and JSON are copied.
//
// Errors: those of the guest, with their code and info. A trap is an InternalError that Is [ErrTrap]. The error is fault.Timeout if the
// guest has held the loop for longer than Limits.Turn; the other runs of the loop wait meanwhile. A cancel is delivered when the guest has
// given the loop back. The error is fault.DefenseRejected beyond Limits.Instances and Limits.Objects, and fault.InvalidRequest for a value
// that can't cross, and after Module.Close. Plan.Err reports that m is nil, or has no such step.
//
//spec:ftn12 §2.7.2; rules B1, B9
func Step[In, Out any](m *Module, export string) step.Step[In, Out] {
	return guest[In, In, Out](m, export, func(in In) (context.Context, In) { return nil, in })
}

// Await is [Step] for a guest that computes for long: it runs on a goroutine and a loop of its own, which it may hold. Unless the module
// is trusted, the guest is stopped about 10 ms after the step was cancelled or its limit has passed, if a processor is free. The guest's
// hooks and cleanups share this time. Its start functions are stopped too.
//
//spec:ftn12 §1.13, §2.7.2; rule C8
func Await[In, Out any](m *Module, export string) step.Step[In, Out] {
	inner := guest[request[In], In, Out](m, export, func(r request[In]) (context.Context, In) { return r.ctx, r.in })
	s := step.Await(func(ctx context.Context, in In) (Out, error) {
		return flow.Run(ctx, inner, request[In]{ctx, in})
	})
	reject(s, m, export)
	return s
}

type request[In any] struct {
	ctx context.Context
	in  In
}

func reject[In, Out any](s step.Step[In, Out], m *Module, export string) {
	if m == nil {
		s.Stage().Node().Reject("wasm: the module is nil")
	} else if err := m.has(export); err != nil {
		s.Stage().Node().Reject("wasm: " + err.Error())
	}
}

// visit is one execution of a step of a guest.
type visit struct {
	in     *instance
	export string
	value  binval.Value
}

func (v *visit) end() {
	if err := v.value.Reset(); err != nil { // if the step has never begun, the value is still here
		v.in.tool.Host().Report(err)
	}
	v.in.end()
}

// guest returns a stage that takes an instance, executes the export as sub-steps, and gives the instance back. The function of splits the
// input. If it returns a context, the guest may hold its goroutine until that context ends.
func guest[Request, In, Out any](m *Module, export string, of func(Request) (context.Context, In)) step.Step[Request, Out] {
	in, out := portOf[In](), portOf[Out]()
	type call = *visit
	enter := dyn.EmbedBy(func(v *call) (dyn.Body, dyn.Code) { return (*entry)(*v), dyn.Code{} },
		&binval.Codec[call]{binval.AtValue(func(v *call) *binval.Value { return &(*v).value })},
		&binval.Codec[binval.Value]{binval.AtValue(func(v *binval.Value) *binval.Value { return v })})
	whole := flow.Then(step.Step[call, binval.Value](enter), step.Func(func(_ step.Scope, v binval.Value) (Out, error) {
		return out.take(v)
	}))
	s := step.New(func(as step.Scope, r Request) step.Next[Out] {
		ctx, input := of(r)
		value, err := in.encode(input)
		if err != nil {
			return step.Fail[Out](err)
		}
		held := ctx != nil
		if !held {
			ctx = context.Background()
		}
		i, err := m.take(ctx, as.Loop(), held)
		if err != nil {
			_ = value.Reset()
			return step.Fail[Out](err)
		}
		v := &visit{in: i, export: export, value: value}
		*step.StackCleanup(as, func(held **visit) { (*held).end() }) = v
		return step.Into(as, whole, v)
	})
	reject(s, m, export)
	return s
}

// entry is the body of the step that calls the export.
type entry visit

func (b *entry) Exec(s *dyn.Step, in *binval.Args) { b.in.run(s, in, nil, ofEntry, b.export) }
func (b *entry) Catch(*dyn.Step, error) bool       { return false }
