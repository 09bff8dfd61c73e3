package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// model is a server of the chat API.
type model struct {
	url, name string
	client    *http.Client
	tools     []toolSpec
	say       func(text string) // called with each part of an answer as it comes
}

// toolSpec is a tool as the chat API describes it.
type toolSpec struct {
	Type     string   `json:"type"` // function
	Function toolFunc `json:"function"`
}

type toolFunc struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// newClient returns a client that sends a server at most four requests at a time, and none for a while if the server is down. The
// plan makes the retries.
func newClient() *http.Client {
	return &http.Client{Transport: httpx.NewTransport(nil, httpx.Policy{
		Retry: retry.Policy{Tries: 1},
		PerHost: []func(string) syncx.Guard{
			func(host string) syncx.Guard {
				return syncx.NewBreaker(syncx.BreakerPolicy{Name: host, Failures: 20, Pause: 5 * time.Second})
			},
			func(string) syncx.Guard { return syncx.NewMutex(4, -1) },
		},
	})}
}

type chunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
			Calls   []struct {
				ToolCall

				Index int `json:"index"`
			} `json:"tool_calls"` //nolint:tagliatelle // as the chat API has it
		} `json:"delta"`
	} `json:"choices"`
	Usage struct {
		Total int `json:"total_tokens"` //nolint:tagliatelle // as the chat API has it
	} `json:"usage"`
}

// ask returns a step that sends the talk, and passes the answer on while it arrives.
func (m *model) ask() step.Step[Talk, Said] { return httpx.CallEvents(m.client, m.request, m.hear) }

func (m *model) request(ctx context.Context, t Talk) (*http.Request, error) {
	if n := retry.Attempt(ctx); n > 1 {
		m.say(fmt.Sprintf("\n[attempt %d]\n", n))
	}
	return httpx.NewJSONRequest(ctx, http.MethodPost, m.url+"/chat/completions", map[string]any{
		"model": m.name, "messages": t.Messages, "tools": m.tools, "stream": true, "stream_options": map[string]bool{"include_usage": true},
	})
}

func (m *model) hear(_ context.Context, said *Said, event httpx.Event) (last bool, err error) {
	if event.Data == "[DONE]" {
		return true, nil
	}
	return false, m.add(said, event.Data)
}

func (m *model) add(said *Said, data string) error {
	var c chunk
	if err := json.Unmarshal([]byte(data), &c); err != nil {
		return fault.Wrap(fault.CommError, "the model sent what isn't a chunk", err)
	}
	said.Message.Role = "assistant"
	said.Tokens += c.Usage.Total
	for _, choice := range c.Choices {
		if text := choice.Delta.Content; text != "" {
			said.Message.Content += text
			m.say(text)
		}
		for _, part := range choice.Delta.Calls {
			if part.Index < 0 || part.Index > len(said.Message.Calls) {
				return fault.New(fault.CommError, fmt.Sprintf("the model sent a part of the call %d before its beginning", part.Index))
			}
			if part.Index == len(said.Message.Calls) {
				said.Message.Calls = append(said.Message.Calls, ToolCall{ID: part.ID, Type: "function"})
			}
			call := &said.Message.Calls[part.Index].Function
			call.Name += part.Function.Name
			call.Arguments += part.Function.Arguments
		}
	}
	return nil
}
