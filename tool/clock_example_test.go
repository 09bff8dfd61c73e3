package tool_test

import (
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func ExampleHost_Time() {
	loop := tooltest.New()
	began := loop.Host().Time(0)
	loop.Advance(time.Hour)
	fmt.Println(loop.Host().Time(loop.Now()).Sub(began))
	// Output: 1h0m0s
}
