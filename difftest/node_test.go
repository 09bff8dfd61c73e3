// Package difftest runs random programs both on this module and on the
// JavaScript implementation of AsyncSteps, live under Node, and compares their
// traces. It is skipped where Node or the package is missing; run npm ci in
// this folder first.
package difftest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/futoin-go/asyncsteps/proptest/script"
)

// node is a process that runs programs on the JavaScript implementation.
type node struct {
	in  *json.Encoder
	out *bufio.Reader
}

// startNode starts the process for the time of the test, which is skipped where
// node or the package is missing.
func startNode(t *testing.T) *node {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("skipped: no node")
	}
	if _, err := os.Stat("node_modules/futoin-asyncsteps"); err != nil {
		t.Skip("skipped: the JavaScript package is missing, run npm ci in difftest/")
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "node", "runner.js") // the process ends when its input does
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // the process ends
		if err := cmd.Wait(); err != nil {
			t.Errorf("node: %v", err)
		}
	})
	return &node{json.NewEncoder(in), bufio.NewReader(out)}
}

type request struct {
	Program *script.Program `json:"program"`
}

type answer struct {
	Trace *script.Trace `json:"trace"`
	Error string        `json:"error"`
}

// run returns the trace of a program.
func (n *node) run(p *script.Program) (*script.Trace, error) {
	if err := n.in.Encode(request{p}); err != nil {
		return nil, err
	}
	line, err := n.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return nil, fmt.Errorf("%w: %s", err, line)
	}
	if a.Error != "" {
		return nil, errors.New(a.Error)
	}
	return a.Trace, nil
}
