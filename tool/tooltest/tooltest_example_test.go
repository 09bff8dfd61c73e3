package tooltest_test

import (
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// An hour of virtual time takes no real time.
func Example() {
	l := tooltest.New()
	_, _ = l.Deferred(time.Hour, func() { fmt.Println("ding at", l.Now()) })
	fmt.Println(l.Advance(59*time.Minute), "ran by", l.Now())
	fmt.Println(l.Run(), "more")
	// Output:
	// 0 ran by 59m0s
	// ding at 1h0m0s
	// 1 more
}

// The schedule is random, and the same for the same seed.
func ExampleWithSeed() {
	for _, seed := range []uint64{1, 1, 3} {
		l := tooltest.New(tooltest.WithSeed(seed))
		var ran []string
		for _, name := range []string{"a", "b", "c"} {
			_, _ = l.Immediate(func() { ran = append(ran, name) })
		}
		l.Run()
		fmt.Println(ran)
	}
	// Output:
	// [c b a]
	// [c b a]
	// [a b c]
}
