package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Tasks is a group of tasks that grows while it runs: a step of a task may add another
// task by [Tasks.Go]. A task is one execution of a stage from A to B; all tasks
// end before the group does. Declare the group as a package variable, so that the stage can
// refer to it:
//
//	var pages = flow.NewTasks[string, Page]("pages")
//
//	follow := step.Func(func(as step.Scope, p Page) (Page, error) {
//		for _, link := range p.Links {
//			pages.Go(as, link)
//		}
//		return p, nil
//	})
//	crawl := pages.All(8, flow.Then(step.Await(load), follow)) // []string to []Page
//
// A Tasks only names the group: it is safe for concurrent use, and any number of runs and
// plans may use it. The zero Tasks can't be used; Plan.Err reports that.
//
//spec:ftn12 §1.4, §2.2.1 parallel
type Tasks[A, B any] struct{ key *op.TasksKey }

// NewTasks makes a group. The name is for errors; two groups of the same name are different groups.
//
//spec:ftn12 §2.2.1 parallel
func NewTasks[A, B any](name string) Tasks[A, B] { return Tasks[A, B]{&op.TasksKey{Name: name}} }

// All returns a step that runs s as a task for every element of its input and for every element that is added meanwhile.
// Tasks begin in the order in which they were added, and up to bound are under way at a time. The results are in the
// same order.
//
// Errors, cancellation and concurrency are those of [ParEach]: the first task that
// fails, after its own handlers were asked, ends the others, and those that haven't
// begun never do. For another policy pass another stage: with flow.Try(s) an error ends
// no other task, and each has its [Result]; retry.Of(policy, s) runs a task again.
// [Tasks.First] ends with the first task that succeeds.
//
// Memory: a task that is under way takes the memory of s. A task that waits takes only that of its A, and a task that has
// ended only that of its B. A bound below zero is no bound; a bound of zero is reported by Plan.Err.
//
//spec:ftn12 §1.4, §2.2.1 parallel; rule P8
func (t Tasks[A, B]) All(bound int, s step.Step[A, B]) Plan[[]A, []B] {
	return Plan[[]A, []B]{op.Tasks(t.key, bound, op.ByNumber, op.Given(s, "Tasks: the stage is nil"), itself[[]B])}
}

// Completed is [Tasks.All] with the results in the order in which the tasks have
// ended.
//
//spec:ftn12 §1.4, §2.2.1 parallel
func (t Tasks[A, B]) Completed(bound int, s step.Step[A, B]) Plan[[]A, []B] {
	return Plan[[]A, []B]{op.Tasks(t.key, bound, op.ByEnd, op.Given(s, "Tasks: the stage is nil"), itself[[]B])}
}

func itself[T any](v T) T { return v }

// First runs tasks as [Tasks.All] does; its result is that of the first task to succeed. The
// others are cancelled and left entirely before the step ends, as with the function [First],
// and those that haven't begun never do.
//
// Errors: a task that fails, after its own handlers were asked, is out, and the others go on.
// If all tasks have failed, the step fails with the error that came last. The earlier errors are in
// its Secondary, oldest first, as many as the function [First] keeps. With an empty input the step
// fails with fault.InvalidRequest.
//
//spec:ftn12 §1.4, §2.2.1 parallel; rules P6, P8
func (t Tasks[A, B]) First(bound int, s step.Step[A, B]) Plan[[]A, B] {
	winner := func(results []B) B { return results[0] }
	return Plan[[]A, B]{op.Tasks(t.key, bound, op.ByRace, op.Given(s, "Tasks: the stage is nil"), winner)}
}

// Go adds a task to the nearest execution of t around the step of as. The task begins when the bound leaves it room, and
// not before the body that called Go returns. If no execution of t is around the step, or if the nearest one is being
// left, Go reports false and the step fails with InternalError. With a scope whose step has ended Go reports false, and the
// step that is executing fails, see step.Scope.
//
//spec:ftn12 §1.4; rule E7
func (t Tasks[A, B]) Go(as step.Scope, in A) bool { return op.AddTask(as.Place(), t.key, in) }
