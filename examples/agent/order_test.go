package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/picturetest"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

// wait returns a step whose answer comes later, before or after those of others.
func wait[In, Out any](began *[]string, what func(In) string, answer func(In) Out) step.Step[In, Out] {
	return step.New(func(as step.Scope, in In) step.Next[Out] {
		*began = append(*began, what(in))
		return step.Wait(as, func(done step.Done[Out]) {
			_, _ = as.Loop().Immediate(func() { done.Succeed(answer(in)) })
		})
	})
}

// In whatever order the tools answer, the model gets the answers in the order of its calls. No tool is called twice, also with a
// Ctrl-C at any point.
func TestEveryOrder(t *testing.T) {
	explore.Check(t, explore.Bounds{Schedules: 500}, func(x *explore.Trial) error {
		var began []string
		do := effects{
			model: wait(&began, func(t Talk) string { return fmt.Sprint("model ", len(t.Messages)) }, func(t Talk) Said {
				m := Message{Role: "assistant", Content: "warm"}
				if len(t.Messages) == 1 {
					for _, id := range []string{"a", "b", "c"} {
						m.Calls = append(m.Calls, ToolCall{ID: id})
					}
				}
				return Said{m, 1}
			}),
			approve: step.Map(func(c []Call) []Call { return c }),
			tool:    wait(&began, func(c Call) string { return c.ID }, func(c Call) Message { return Message{Role: "tool", CallID: c.ID} }),
		}
		run := explore.Start(context.Background(), x, newPlan(do, time.Hour, 2), Talk{Messages: []Message{{Role: "user"}}, Tokens: 10})
		stopped := errors.New("Ctrl-C")
		cancelled := false
		if err := x.Run(explore.Action{Name: "Ctrl-C", Do: func() { cancelled = true; run.Cancel(stopped) }}); err != nil {
			return err
		}
		talk, err := run.Result()
		for _, id := range []string{"a", "b", "c"} {
			if n := len(began) - len(slices.DeleteFunc(slices.Clone(began), func(s string) bool { return s == id })); n > 1 {
				return fmt.Errorf("%s was called %d times", id, n)
			}
		}
		if err != nil {
			if !cancelled || !errors.Is(err, stopped) {
				return err
			}
			return nil
		}
		var ids []string
		for _, m := range talk.Messages {
			ids = append(ids, m.Role+m.CallID)
		}
		if got := strings.Join(ids, " "); got != "user assistant toola toolb toolc assistant" {
			return fmt.Errorf("the talk is %s", got)
		}
		return nil
	})
}

func TestPicture(t *testing.T) {
	do := effects{new(model).ask(), step.Map(func(c []Call) []Call { return c }), step.Await((*toolbox)(nil).call)}
	picturetest.Plan(t, "agent", flow.Describe(newPlan(do, time.Hour, 4)))
}
