package flow_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func request[In, Out any](f func(In) Out) flow.Plan[In, Out] {
	return flow.Then(step.Delay[In](time.Second), step.Map(f))
}

var (
	askUser   = request(func(id int) string { return fmt.Sprint("user", id) })
	askOrders = request(func(user string) int { return len(user) })
	askOffers = request(func(id int) []string { return []string{"tea", "cake"} })
)

// Orders need the user, offers don't, so three requests take as long as two.
func ExampleGraph() {
	page := flow.Graph(func(id flow.Ref[int]) flow.Ref[string] {
		user := flow.Node(id, askUser)
		orders := flow.Node(user, askOrders)
		offers := flow.Node(id, askOffers)
		return flow.Node(flow.Join3(user, orders, offers), step.Map(func(all flow.Triple[string, int, []string]) string {
			return fmt.Sprint(all.A, " has ", all.B, " orders; offers: ", strings.Join(all.C, ", "))
		}))
	})
	l := tooltest.New()
	run := flow.Start(context.Background(), l, page, 42)
	l.Run()
	fmt.Println(run.Result())
	fmt.Println("after", l.Now())
	// Output:
	// user42 has 6 orders; offers: tea, cake <nil>
	// after 2s
}

// A node may be a whole plan.
func ExampleNode() {
	twice := flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
		doubled := flow.Node(in, step.Map(func(n int) int { return 2 * n }))
		return flow.Node(doubled, flow.Timeout(time.Second, step.Map(func(n int) int { return n + 1 })))
	})
	fmt.Println(flow.Run(context.Background(), twice, 5))
	// Output: 11 <nil>
}

func ExampleJoin2() {
	sized := flow.Graph(func(in flow.Ref[string]) flow.Ref[flow.Pair[string, int]] {
		return flow.Join2(in, flow.Node(in, step.Map(func(s string) int { return len(s) })))
	})
	fmt.Println(flow.Run(context.Background(), sized, "four"))
	// Output: {four 4} <nil>
}

// The same value may be taken twice.
func ExampleJoin3() {
	three := flow.Graph(func(in flow.Ref[int]) flow.Ref[flow.Triple[int, int, string]] {
		return flow.Join3(in, in, flow.Node(in, step.Map(func(n int) string { return fmt.Sprint("number ", n) })))
	})
	fmt.Println(flow.Run(context.Background(), three, 7))
	// Output: {7 7 number 7} <nil>
}

// Gather fills the fields of a struct, for any number of values.
func ExampleGather() {
	type card struct {
		User   string
		Offers []string
	}
	cards := flow.Graph(func(id flow.Ref[int]) flow.Ref[card] {
		return flow.Gather(
			flow.Put(flow.Node(id, askUser), func(c *card, user string) { c.User = user }),
			flow.Put(flow.Node(id, askOffers), func(c *card, offers []string) { c.Offers = offers }),
		)
	})
	l := tooltest.New()
	run := flow.Start(context.Background(), l, cards, 42)
	l.Run()
	fmt.Println(run.Result())
	// Output: {user42 [tea cake]} <nil>
}

// The values of several nodes are added.
func ExamplePut() {
	sum := flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
		var parts []flow.Part[int]
		for i := range 3 {
			power := flow.Node(in, step.Map(func(n int) int { return n << i }))
			parts = append(parts, flow.Put(power, func(total *int, n int) { *total += n }))
		}
		return flow.Gather(parts...)
	})
	fmt.Println(flow.Run(context.Background(), sum, 5))
	// Output: 35 <nil>
}
