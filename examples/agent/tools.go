package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// toolbox has the tools of a server of the Model Context Protocol.
type toolbox struct {
	session *mcp.ClientSession
	tools   []*mcp.Tool
	guarded flow.Plan[Call, Message]
}

func open(ctx context.Context, transport mcp.Transport) (*toolbox, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "v0.1.0"}, nil)
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	b := &toolbox{session: session}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, errors.Join(err, session.Close())
		}
		b.tools = append(b.tools, tool)
	}
	perTool := syncx.PerKey(func(c Call) string { return c.Function.Name }, func(string) syncx.Guard { return syncx.NewMutex(2, -1) })
	b.guarded = syncx.SyncKeyed(perTool, step.Await(b.send))
	return b, nil
}

func (b *toolbox) specs() ([]toolSpec, error) {
	var all []toolSpec
	for _, tool := range b.tools {
		parameters, err := json.Marshal(tool.InputSchema)
		if err != nil {
			return nil, err
		}
		all = append(all, toolSpec{"function", toolFunc{tool.Name, tool.Description, parameters}})
	}
	return all, nil
}

// readOnly reports whether the server says that a tool changes nothing. Such a tool is called without asking a human. A call of it
// that gets no answer is repeated.
func (b *toolbox) readOnly(name string) bool {
	return slices.ContainsFunc(b.tools, func(t *mcp.Tool) bool {
		return t.Name == name && t.Annotations != nil && t.Annotations.ReadOnlyHint
	})
}

// call is the body of a step. It enters the guard itself, so that the guard isn't part of the plan that the file keeps.
func (b *toolbox) call(ctx context.Context, c Call) (Message, error) {
	if c.Refused {
		return Message{Role: "tool", CallID: c.ID, Content: "error: the user has refused this call"}, nil
	}
	return flow.Run(ctx, b.guarded, c)
}

func (b *toolbox) send(ctx context.Context, c Call) (Message, error) {
	m := Message{Role: "tool", CallID: c.ID}
	var arguments json.RawMessage
	if text := strings.TrimSpace(c.Function.Arguments); text != "" {
		if arguments = json.RawMessage(text); !json.Valid(arguments) {
			m.Content = "error: the arguments are not JSON"
			return m, nil
		}
	}
	result, err := b.session.CallTool(ctx, &mcp.CallToolParams{Name: c.Function.Name, Arguments: arguments})
	if err != nil {
		if ctx.Err() == nil && b.readOnly(c.Function.Name) {
			err = fault.Wrap(fault.CommError, "the tool "+c.Function.Name, err) // this code is tried again
		}
		return m, err
	}
	var text strings.Builder
	if result.IsError {
		text.WriteString("error: ")
	}
	for _, content := range result.Content {
		if part, ok := content.(*mcp.TextContent); ok {
			text.WriteString(part.Text)
		}
	}
	m.Content = text.String()
	return m, nil
}
