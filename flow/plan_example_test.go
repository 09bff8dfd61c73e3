package flow_test

import (
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Err reports what is wrong with a plan before it is run.
func ExamplePlan_Err() {
	fetch := step.Func[int, int](nil)
	p := flow.Timeout(-time.Second, fetch)
	fmt.Println(p.Err())
	// Output:
	// InvalidRequest: Timeout: the limit must be positive, got -1s (built at plan_example_test.go:14)
	// InvalidRequest: step.Func: the body is nil (built at plan_example_test.go:13)
}
