package main

import (
	"context"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func main() {
	price := step.Map(func(item string) int { return len(item) * 7 })
	stock := step.Await(func(ctx context.Context, _ string) (int, error) {
		<-ctx.Done() // a call that hangs until it is told to stop
		return 0, ctx.Err()
	})
	inTime := flow.Timeout(50*time.Millisecond, stock)
	anyway := flow.Catch(inTime, func(step.Scope, error) step.Next[int] {
		return step.Succeed(-1) // or step.Fail[int](another), or more steps
	})
	both := flow.Par2(price, anyway)
	fmt.Println(flow.Run(context.Background(), both, "teapot")) // {42 -1} <nil>
}
