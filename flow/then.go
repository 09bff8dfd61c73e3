package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Then runs a, and then b with the result of a. If a fails, b doesn't run.
//
// Then is associative and adds no level: Then(Then(a, b), c) and Then(a, Then(b, c)) are the
// same three steps.
//
//spec:ftn12 §1, §1.1, §2.2.1 add
func Then[A, B, C any](a step.Step[A, B], b step.Step[B, C]) Plan[A, C] {
	return Plan[A, C]{op.Then(op.Given(a, "Then: the first stage is nil"), op.Given(b, "Then: the second stage is nil"))}
}

// Chain runs stages one after the other, each with the result of the one before. Without
// stages the input passes unchanged. Use it when the number of stages is known only at run
// time.
//
//spec:ftn12 §1, §1.1
func Chain[T any](stages ...step.Step[T, T]) Plan[T, T] {
	ss := make([]*plan.Stage[T, T], len(stages))
	for i, s := range stages {
		ss[i] = op.Given(s, "Chain: a stage is nil")
	}
	return Plan[T, T]{op.Chain(ss)}
}
