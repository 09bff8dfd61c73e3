//go:build cgo

package cabi_test

import (
	"context"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func BenchmarkCgo(b *testing.B) {
	b.Run("call", func(b *testing.B) {
		for b.Loop() {
			mock.Empty()
		}
	})
	b.Run("callback", func(b *testing.B) {
		hook := mock.Hook(func(unsafe.Pointer) {})
		for b.Loop() {
			mock.CallBack(hook)
		}
	})
}

// Each iteration is two steps, the second one added by the first one.
func BenchmarkStepOfC(b *testing.B) { repeated(b, mock.Repeat, 2) }

// Each iteration is a step that waits for an immediate.
func BenchmarkWaitOfC(b *testing.B) { repeated(b, mock.RepeatWaiting, 1) }

func repeated(b *testing.B, repeat func(as unsafe.Pointer, count int), steps float64) {
	m := tool.NewManual(tool.Options{})
	r := cabi.NewRoot(m)
	repeat(r.Binary(), b.N)
	must(b, r.Execute(func(err error) { must(b, err) }))
	b.ReportAllocs()
	b.ResetTimer()
	for m.Iterate() {
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/step")
	r.Free()
}

// Each iteration adds a stage of Go, through Wrap, to a run of this engine.
func BenchmarkWrapOwn(b *testing.B) {
	m := tool.NewManual(tool.Options{})
	r := cabi.NewRoot(m)
	stage := step.Map(func(in struct{}) struct{} { return in })
	hook := mock.Hook(func(p unsafe.Pointer) {
		as, _ := cabi.Wrap(p)
		must(b, cabi.Add(as, &none, stage, &none))
	})
	mock.RepeatAsking(r.Binary(), b.N, hook)
	must(b, r.Execute(func(err error) { must(b, err) }))
	b.ReportAllocs()
	b.ResetTimer()
	for m.Iterate() {
	}
	r.Free()
}

func BenchmarkWrapForeign(b *testing.B) {
	e := mock.New()
	defer e.Free()
	root := e.Root()
	as, err := cabi.Wrap(root)
	must(b, err)
	mock.Add(root, 1, mock.Gives, 0)
	for range b.N {
		must(b, cabi.Add(as, &number, double, &number))
	}
	mock.Execute(root, 0, 0)
	b.ReportAllocs()
	b.ResetTimer()
	e.Run()
	b.StopTimer()
	mock.Free(root)
}

func BenchmarkCallInGoPlan(b *testing.B) {
	ctx := context.Background()
	plan := cabi.Call(&number, code(mock.Forwards, 0, 0), &number)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := flow.Run(ctx, plan, 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInstance(b *testing.B) {
	m := tool.NewManual(tool.Options{})
	root := cabi.NewRoot(m)
	defer root.Free()
	b.ReportAllocs()
	for b.Loop() {
		instance(root, m)
	}
}

func instance(of *cabi.Root, m *tool.Manual) {
	made := mock.NewInstance(of.Binary())
	mock.Add(made, 0, mock.Adds, 0)
	mock.Execute(made, 0, 0)
	for m.Iterate() {
	}
	mock.Free(made)
}
