// Package counters builds programs that count how often they execute each statement of this project, as for coverage, and reads
// the counters. It is for tests of what is executed, and how often.
package counters

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/coverage"
	"strings"
	"sync"
)

const module = "github.com/futoin-go/asyncsteps"

// Write makes a folder, executes f, and writes into the folder what f has executed. It is for programs that [Run] executes.
func Write(folder string, f func() error) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	if err := coverage.WriteMetaDir(folder); err != nil {
		return err
	}
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return coverage.WriteCountersDir(folder)
}

// Run builds the main package of a folder, with counters in all packages of the project, and executes it with args. It returns
// the program's standard output.
func Run(ctx context.Context, folder string, args ...string) (string, error) {
	temporary, err := os.MkdirTemp("", "counters")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	program := filepath.Join(temporary, "program")
	if _, err := command(ctx, "go", "build", "-cover", "-covermode=atomic", "-coverpkg="+module+"/...", "-o", program, folder); err != nil {
		return "", err
	}
	return command(ctx, program, args...)
}

// Block is a run of statements without a branch.
type Block struct {
	File       string // the path of the file in the project
	Place      string // where the block begins and ends, as line.column: "12.3,14.5"
	Line       int    // the line in which the block begins
	Statements int
	Times      int // how often the statements were executed, at least once
}

// Read returns the blocks that were executed, from a folder that Write has filled.
func Read(ctx context.Context, folder string) ([]Block, error) {
	covdata, err := tool()
	if err != nil {
		return nil, err
	}
	text := filepath.Join(folder, "counters.txt")
	if _, err := command(ctx, covdata, "textfmt", "-i="+folder, "-o="+text); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(text) //nolint:gosec // the caller names the folder
	if err != nil {
		return nil, err
	}
	var blocks []Block
	for line := range strings.Lines(string(data)) {
		file, rest, _ := strings.Cut(strings.TrimPrefix(line, module+"/"), ":")
		if file == "mode" {
			continue
		}
		b := Block{File: file}
		var column, end, last int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.Line, &column, &end, &last, &b.Statements, &b.Times); err != nil {
			return nil, fmt.Errorf("counters: %q: %w", line, err)
		}
		if b.Times > 0 {
			b.Place, _, _ = strings.Cut(rest, " ")
			blocks = append(blocks, b)
		}
	}
	return blocks, nil
}

var tool = sync.OnceValues(func() (string, error) {
	path, err := command(context.Background(), "go", "tool", "-n", "covdata")
	return strings.TrimSpace(path), err
})

func command(ctx context.Context, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...) //nolint:gosec // commands of tests
	c.Env = append(os.Environ(), "GOMAXPROCS=2")
	var problem bytes.Buffer
	c.Stderr = &problem
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %v: %w\n%s%s", name, args, err, out, problem.String())
	}
	return string(out), nil
}
