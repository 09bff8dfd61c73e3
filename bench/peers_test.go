package bench

import (
	"context"
	"testing"

	"github.com/samber/ro"
)

// add is the work of a plain step in the other columns: a function that adds one and might fail.
type add = func(i int) (int, error)

// adds returns n such functions, which are called through their pointers.
func adds(n int) []add {
	all := make([]add, n)
	for i := range all {
		all[i] = func(i int) (int, error) { return i + 1, nil }
	}
	return all
}

// call calls the first function on 0, and each other one on the result of the one before. It must not be inlined into the loop of a
// benchmark, where the compiler could see which functions they are.
//
//go:noinline
func call(all []add) (int, error) {
	v := 0
	for _, f := range all {
		var err error
		if v, err = f(v); err != nil {
			return 0, err
		}
	}
	return v, nil
}

// again calls one function n times: first on 0, then on its own result.
//
//go:noinline
func again(n int, f add) (int, error) {
	v := 0
	for range n {
		var err error
		if v, err = f(v); err != nil {
			return 0, err
		}
	}
	return v, nil
}

type pair struct {
	v   int
	err error
}

func peer(name string, build func(tb testing.TB, n int) operation) column {
	return column{name: name, build: build}
}

// upTo returns c with the largest size n.
func (c column) upTo(n int) column {
	c.most = n
	return c
}

// crowds returns how many runs or timers are alive at once, in rows that grow with that. With -short it leaves out the larger
// ones.
func crowds(b *testing.B) []int {
	b.Helper()
	if testing.Short() {
		return []int{1_000, 10_000}
	}
	return []int{1_000, 10_000, 100_000, 1_000_000}
}

// last returns the one value of a pipeline.
func last(values []int, err error) (int, error) {
	if len(values) != 1 {
		return 0, err
	}
	return values[0], err
}

func collect(pipeline ro.Observable[int]) operation {
	return func() (int, error) { return last(ro.Collect(pipeline)) }
}

// background is a context for all columns that never ends.
var background = context.Background()

// request is a context as a server gives one for each request: it could be cancelled. Databases and clients do more with it than
// with background, because they have to watch it. It never ends.
var request, _ = context.WithCancel(background)
