package main

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

// effects are the steps of an agent that act outside of the program.
type effects struct {
	model   step.Step[Talk, Said]
	approve step.Step[[]Call, []Call] // a human
	tool    step.Step[Call, Message]
}

var (
	errTokens = fault.New("Tokens", "the talk has used up its tokens")
	answered  = loopx.NewLabel[Talk]("answered")
	patience  = retry.Policy{Tries: 4, Pause: time.Second, Factor: 2, Jitter: 1}
	harmless  = retry.Policy{Tries: 3, Pause: time.Second, Codes: []fault.Code{fault.CommError}}
)

// newPlan makes the plan of a talk: it asks the model, calls the tools that the model wants side by side, gives the model their
// answers, and so on, until the model wants no tool.
func newPlan(do effects, limit time.Duration, together int) flow.Plan[Talk, Talk] {
	model := flow.Named("model", retry.Of(patience, flow.Timeout(2*time.Minute, do.model)))
	tool := flow.Named("tool", flow.CatchInput(flow.Timeout(time.Minute, retry.Of(harmless, do.tool)), apologize))
	tools := flow.Then(step.Map(Talk.calls), flow.Then(flow.Named("approve", do.approve), flow.ParEach(together, tool)))
	turn := flow.Then(flow.Then(flow.Carry(model), step.New(heard)), flow.Then(flow.Carry(tools), step.Map(told)))
	return flow.Timeout(limit, loopx.Labelled(answered, loopx.Loop(turn)))
}

// heard adds the message of the model. If the message asks for no tool the talk ends; otherwise it fails if no tokens are left.
func heard(_ step.Scope, p flow.Pair[Talk, Said]) step.Next[Talk] {
	talk := p.A.with(p.B.Message)
	talk.Tokens -= p.B.Tokens
	switch {
	case len(talk.calls()) == 0:
		return loopx.BreakTo[Talk](answered, talk)
	case talk.Tokens <= 0:
		return step.Fail[Talk](errTokens)
	default:
		return step.Succeed(talk)
	}
}

// told adds the answers of the tools, in the order of their calls.
func told(p flow.Pair[Talk, []Message]) Talk { return p.A.with(p.B...) }

// apologize tells the model that a tool has failed.
func apologize(_ step.Scope, c Call, err error) step.Next[Message] {
	return step.Succeed(Message{Role: "tool", CallID: c.ID, Content: "error: " + fault.InfoOf(err)})
}
