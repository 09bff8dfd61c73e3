// Package otel reports runs to OpenTelemetry: a span for each run, and below it a span for each step.
//
//	ctx = observe.With(ctx, otel.New(provider, otel.Options{}))
//
// # Runs
//
// The span of a run has the name of its plan, and is a child of the span in the context that the run was started with.
// The context of the run has this span, so spans and runs that bodies start with step.Scope.Context are children of it.
// The attributes are [RunIDKey], [RunParentKey], and where the plan was built as code.file.path, code.line.number and
// code.function.name. Attributes of observe.WithAttrs and observe.SetAttrs are added under their own keys. Samplers see
// only those of WithAttrs.
//
// # Steps
//
// The span of a step has the name of the step, or its kind, and is a child of the span
// of the step that holds it, or of the run. In a loop each iteration has spans of its own. The
// attributes are [StepPathKey], [StepKindKey], [StepNameKey], and where the step was built.
//
// A step that holds parallel branches is linked to the last step of each branch, with [BranchKey], in the order in which the
// branches ended. So the last link leads to the branch that ended last. If there are more than 128 branches, the 128 that ended
// last are linked.
//
// # Errors
//
// A run or step that fails has the status Error, the info of the error as its description, and the code of the error as
// error.type. A run or step that is cancelled, by a time limit further out, by a branch beside it, or from outside, has
// [CancelledKey] and no status. So the spans with the status Error show the way that the error took.
// The spans of steps that a flow.Linger has left behind end with the run, as cancelled.
//
// # Events
//
// An error that is raised and a time limit that passes are "exception" events of the step. The event of a panic has the stack.
// The deadline of the run's context is an event of the run.
// The events asyncsteps.suspended, asyncsteps.queued and asyncsteps.resumed report waits. An event asyncsteps.handled has the
// answer of an error handler as [OutcomeKey], "asyncsteps.guard changed" the new state of a guard as [GuardKey].
// asyncsteps.cancelled reports a cancel of the run. When a stream has ended, an event asyncsteps.progress for each of its stages
// has the numbers of elements as [StageKey].
//
// # Texts
//
// Names, errors and attributes that aren't valid UTF-8 are made valid, because exporters may refuse them.
//
// # Times
//
// All times are those of the loop, counted from the moment the run was started;
// in tooltest they are virtual.
//
// # Limits
//
// Steps that are more than 64 levels deep have no spans. Errors of these steps are events of the run, as with
// [Options].RunsOnly.
package otel
