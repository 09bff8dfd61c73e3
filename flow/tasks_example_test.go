package flow_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var folders = flow.NewTasks[string, int]("folders")

// A task counts the files of a folder, and adds a task for each folder in it.
func ExampleNewTasks() {
	files := map[string]int{"/": 1, "/etc": 5, "/usr": 2, "/usr/bin": 40}
	inside := map[string][]string{"/": {"/etc", "/usr"}, "/usr": {"/usr/bin"}}
	visit := step.Func(func(as step.Scope, folder string) (int, error) {
		for _, next := range inside[folder] {
			folders.Go(as, next)
		}
		return files[folder], nil
	})
	fmt.Println(flow.Run(context.Background(), folders.All(4, visit), []string{"/"}))
	fmt.Println(flow.Run(context.Background(), folders.Completed(1, visit), []string{"/usr", "/etc"}))
	// Output:
	// [1 5 2 40] <nil>
	// [2 5 40] <nil>
}

// The result is that of the first server that answers.
func ExampleTasks_First() {
	ask := step.Func(func(as step.Scope, server string) (string, error) {
		if server == "near" {
			mirrors.Go(as, "far")
			return "", errors.New("server is down")
		}
		return "from " + server, nil
	})
	fmt.Println(flow.Run(context.Background(), mirrors.First(2, ask), []string{"near"}))
	// Output: from far <nil>
}

var mirrors = flow.NewTasks[string, string]("mirrors")

// An error of one element doesn't end the others.
func ExampleTry() {
	half := step.Func(func(_ step.Scope, n int) (int, error) {
		if n%2 != 0 {
			return 0, errors.New("odd")
		}
		return n / 2, nil
	})
	good := step.Map(func(results []flow.Result[int]) (sum int) {
		for _, r := range results {
			if r.Err == nil {
				sum += r.Value
			}
		}
		return sum
	})
	halves := flow.ParEach(2, flow.Try(half))
	fmt.Println(flow.Run(context.Background(), halves, []int{4, 5, 6}))
	fmt.Println(flow.Run(context.Background(), flow.Then(halves, good), []int{4, 5, 6}))
	// Output:
	// [{2 <nil>} {0 odd} {3 <nil>}] <nil>
	// 5 <nil>
}
