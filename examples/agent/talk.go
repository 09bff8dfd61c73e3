package main

import "slices"

// Message is a message of a talk, as the chat API has it.
type Message struct {
	Role    string     `json:"role"` // system, user, assistant or tool
	Content string     `json:"content"`
	Calls   []ToolCall `json:"tool_calls,omitempty"`   //nolint:tagliatelle // calls that an assistant asks for, as the API names them
	CallID  string     `json:"tool_call_id,omitempty"` //nolint:tagliatelle // the call that a tool answers, as the API names it
}

// ToolCall is a call of a tool that the model asks for.
type ToolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"` // function
	Function Function `json:"function"`
}

// Function holds the name of a tool to call, and its arguments as JSON.
type Function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Call is a call of a tool. Refused is true if a human has refused it.
type Call struct {
	ToolCall

	Refused bool
}

// Talk is the conversation that the model gets, and the rest of its budget.
type Talk struct {
	Messages []Message
	Tokens   int // those left
}

func (t Talk) with(more ...Message) Talk {
	t.Messages = append(slices.Clip(t.Messages), more...)
	return t
}

func (t Talk) last() Message { return t.Messages[len(t.Messages)-1] }

// calls returns the calls that the latest message asks for.
func (t Talk) calls() []Call {
	all := make([]Call, 0, len(t.last().Calls))
	for _, c := range t.last().Calls {
		all = append(all, Call{ToolCall: c})
	}
	return all
}

// Said is an answer of a model and the tokens it took.
type Said struct {
	Message Message
	Tokens  int
}
