// Command agent lets a model answer a question with tools. The plan is in plan.go.
//
//	go run . -url http://localhost:11434/v1 -model qwen3 -tools 'my-mcp-server --flag' 'Is it warm in Oslo?'
//
// It survives a crash: end it in the middle, start it again with the same file and id, and the talk continues where it stopped.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/step"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("agent", flag.ContinueOnError)
	url := flags.String("url", "http://localhost:11434/v1", "where the chat API is")
	name := flags.String("model", "", "name of the model")
	tools := flags.String("tools", "", "command of a server of the Model Context Protocol")
	path := flags.String("file", "agent.db", "where talks are kept")
	id := flags.String("id", "talk-1", "id of the talk: an id stands for one talk for ever")
	tokens := flags.Int("tokens", 50_000, "how many tokens the talk may take")
	limit := flags.Duration("limit", time.Hour, "how long it may take")
	if err := flags.Parse(args); err != nil {
		return err
	}
	words := strings.Fields(*tools)
	if len(words) == 0 || flags.NArg() != 1 {
		return errors.New("usage: agent -tools COMMAND [flags] QUESTION")
	}
	box, err := open(ctx, &mcp.CommandTransport{Command: exec.CommandContext(ctx, words[0], words[1:]...)}) //nolint:gosec // as its user says
	if err != nil {
		return err
	}
	defer func() { _ = box.session.Close() }()
	specs, err := box.specs()
	if err != nil {
		return err
	}
	m := &model{url: *url, name: *name, client: newClient(), tools: specs, say: func(text string) { fmt.Fprint(out, text) }}
	a := newAgent(m, box, asking(bufio.NewReader(in), out), *limit)
	return a.talk(ctx, *path, *id, Talk{Messages: []Message{{Role: "user", Content: flags.Arg(0)}}, Tokens: *tokens})
}

func asking(in *bufio.Reader, out io.Writer) func(context.Context, Call) (bool, error) {
	return func(_ context.Context, c Call) (bool, error) {
		fmt.Fprintf(out, "\ncall %s %s? [y/N] ", c.Function.Name, c.Function.Arguments)
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return strings.TrimSpace(line) == "y", err
	}
}

// agent is the plan under the name by which the file knows it.
type agent struct {
	*durable.Workflow[Talk, Talk]
}

func newAgent(m *model, box *toolbox, ask func(context.Context, Call) (bool, error), limit time.Duration) agent {
	approve := func(ctx context.Context, calls []Call) ([]Call, error) {
		for i, c := range calls {
			if box.readOnly(c.Function.Name) {
				continue
			}
			yes, err := ask(ctx, c)
			if err != nil {
				return nil, err
			}
			calls[i].Refused = !yes
		}
		return calls, nil
	}
	return agent{durable.New("agent", newPlan(effects{m.ask(), step.Await(approve), step.Await(box.call)}, limit, 4))}
}

// talk starts a talk on a file, or continues it, and waits for its end. If ctx ends first, or the talk can't go on, the work
// under way ends, and the talk stays in the file.
func (a agent) talk(ctx context.Context, path, id string, t Talk) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// The talk can't go on if, for example, its limit has changed since it began.
	file, err := sqlite.Open(ctx, path, sqlite.Options{OnError: stop}, a.Workflow)
	if err != nil {
		return err
	}
	run, err := a.Start(ctx, file.Engine(), id, t)
	if err == nil {
		_, err = run.Wait(ctx)
	}
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, file.Close(soon))
}
