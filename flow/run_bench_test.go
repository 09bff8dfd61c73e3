package flow_test

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func BenchmarkPlain16(b *testing.B) {
	inc := step.Func(func(as step.Scope, i int) (int, error) { return i + 1, nil })
	p := flow.Of(inc)
	for range 15 {
		p = flow.Then(p, inc)
	}
	b.ReportAllocs()
	ctx := context.Background()
	for b.Loop() {
		flow.Run(ctx, p, 1)
	}
}
func BenchmarkMap16(b *testing.B) {
	inc := step.Map(func(i int) int { return i + 1 })
	p := flow.Of(inc)
	for range 15 {
		p = flow.Then(p, inc)
	}
	b.ReportAllocs()
	ctx := context.Background()
	for b.Loop() {
		flow.Run(ctx, p, 1)
	}
}
func BenchmarkOne(b *testing.B) {
	inc := step.Map(func(i int) int { return i + 1 })
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		flow.Run(ctx, inc, 1)
	}
}
func BenchmarkInto(b *testing.B) {
	inc := step.Map(func(i int) int { return i + 1 })
	p := step.New(func(as step.Scope, i int) step.Next[int] { return step.Into(as, inc, i) })
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		flow.Run(ctx, p, 1)
	}
}
func BenchmarkNew16(b *testing.B) {
	inc := step.New(func(_ step.Scope, i int) step.Next[int] { return step.Succeed(i + 1) })
	p := flow.Of(inc)
	for range 15 {
		p = flow.Then(p, inc)
	}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		flow.Run(ctx, p, 1)
	}
}
func BenchmarkInto16(b *testing.B) {
	inc := step.Map(func(i int) int { return i + 1 })
	into := step.New(func(as step.Scope, i int) step.Next[int] { return step.Into(as, inc, i) })
	p := flow.Of(into)
	for range 15 {
		p = flow.Then(p, into)
	}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		flow.Run(ctx, p, 1)
	}
}
func BenchmarkCatch(b *testing.B) {
	e := fault.New("X", "y")
	p := flow.Catch(step.Func(func(as step.Scope, i int) (int, error) { return 0, e }), func(as step.Scope, err error) step.Next[int] { return step.Succeed(1) })
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		flow.Run(ctx, p, 1)
	}
}
func BenchmarkPar2(b *testing.B) {
	inc := step.Map(func(i int) int { return i + 1 })
	p := flow.Par2(inc, inc)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		flow.Run(ctx, p, 1)
	}
}
func BenchmarkWait(b *testing.B) {
	var d step.Done[int]
	fire := func() { d.Succeed(1) }
	p := step.New(func(as step.Scope, i int) step.Next[int] {
		as.Loop().Immediate(fire)
		return step.Wait(as, func(done step.Done[int]) { d = done })
	})
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		flow.Run(ctx, p, 1)
	}
}
