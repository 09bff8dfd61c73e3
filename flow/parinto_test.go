package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

type answers struct {
	Number int
	Text   string
	Long   bool
}

func TestParInto(t *testing.T) {
	number := flow.To(flow.Then(step.Delay[int](2*time.Millisecond), plantest.Add(1)), func(to *answers, n int) { to.Number = n })
	text := flow.To(step.Map(strconv.Itoa), func(to *answers, s string) { to.Text = s })
	long := flow.To(flow.Then(step.Delay[int](time.Millisecond), step.Map(func(n int) bool { return n > 9 })), func(to *answers, b bool) { to.Long = b })

	t.Run("success", func(t *testing.T) {
		loop, run := plantest.Start(t, flow.ParInto(number, text, long), 41)
		loop.Advance(2 * time.Millisecond) // side by side, not one after the other
		out, err := plantest.Result(t, run)
		if want := (answers{42, "41", true}); out != want || err != nil {
			t.Errorf("got %v, %v, want %v", out, err, want)
		}
	})
	t.Run("the functions are called in the order of the branches", func(t *testing.T) {
		var order string
		note := func(name string, d time.Duration) flow.Branch[int, answers] {
			return flow.To(step.Delay[int](d), func(*answers, int) { order += name })
		}
		_, err := plantest.Run(t, flow.ParInto(note("a", 3), note("b", 1), note("c", 2)), 1)
		if order != "abc" || err != nil {
			t.Error(order, err)
		}
	})
	t.Run("error: the other branches are cancelled", func(t *testing.T) {
		sour := errors.New("sour")
		left := false
		fails := flow.To(flow.Then(step.Delay[int](time.Millisecond), step.Func(func(step.Scope, int) (int, error) { return 0, sour })), func(*answers, int) {})
		slow := flow.To(flow.OnCancel(step.Delay[int](time.Hour), func(step.Scope) { left = true }), func(*answers, int) {})
		if _, err := plantest.Run(t, flow.ParInto(slow, fails), 1); !errors.Is(err, sour) || !left {
			t.Error(err, left)
		}
	})
	t.Run("a panic of a function", func(t *testing.T) {
		_, err := plantest.Run(t, flow.ParInto(flow.To(plantest.Add(1), func(*answers, int) { panic("no") })), 1)
		plantest.WantCode(t, err, fault.InternalError)
	})
	t.Run("Plan.Err", func(t *testing.T) {
		for _, p := range []flow.Plan[int, answers]{
			flow.ParInto[int, answers](),
			flow.ParInto(number, flow.Branch[int, answers]{}),
			flow.ParInto(flow.To[int, answers, int](nil, func(*answers, int) {})),
			flow.ParInto(flow.To[int, answers, int](plantest.Add(1), nil)),
		} {
			if err := p.Err(); !errors.Is(err, fault.InvalidRequest) {
				t.Error(err)
			}
		}
	})
	t.Run("a branch may be part of several plans", func(t *testing.T) {
		for range 2 {
			out, err := plantest.Run(t, flow.Par(flow.ParInto(number, text), flow.ParInto(text, long)), 41)
			if fmt.Sprint(out) != "[{42 41 false} {0 41 true}]" || err != nil {
				t.Error(out, err)
			}
		}
	})
}

func ExampleParInto() {
	type page struct {
		User   string
		Orders []int
		Unread int
	}
	findUser := step.Map(func(id int) string { return fmt.Sprint("user ", id) })
	findOrders := step.Map(func(id int) []int { return []int{100 + id, 200 + id} })
	countUnread := step.Await(func(context.Context, int) (int, error) { return 3, nil })

	load := flow.ParInto(
		flow.To(findUser, func(p *page, name string) { p.User = name }),
		flow.To(findOrders, func(p *page, all []int) { p.Orders = all }),
		flow.To(countUnread, func(p *page, n int) { p.Unread = n }),
	)
	fmt.Println(flow.Run(context.Background(), load, 7))
	// Output: {user 7 [107 207] 3} <nil>
}

// set says where the result of a branch goes.
func ExampleTo() {
	type sum struct{ Twice, Square int }
	both := flow.ParInto(
		flow.To(step.Map(func(n int) int { return 2 * n }), func(s *sum, n int) { s.Twice = n }),
		flow.To(step.Map(func(n int) int { return n * n }), func(s *sum, n int) { s.Square = n }),
	)
	fmt.Println(flow.Run(context.Background(), both, 5))
	// Output: {10 25} <nil>
}
