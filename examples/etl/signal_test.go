//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is how long the program may take to end.
const patience = 5 * time.Second

// Ctrl-C ends the program in each of its phases, and its output says what was done.
func TestInterruptedProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program and writes a hundred megabytes")
	}
	program := filepath.Join(t.TempDir(), "etl")
	if text, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for phase, says := range map[string]string{"generating": "MB of orders generated, none read", "pricing": "left over"} {
		t.Run(phase, func(t *testing.T) {
			var out strings.Builder
			c := exec.CommandContext(t.Context(), program, "-dir", t.TempDir(), "-size", "100")
			c.Stdout = &out
			terminal, err := c.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			words := bufio.NewScanner(terminal)
			for words.Split(bufio.ScanWords); words.Scan() && words.Text() != phase; {
			}
			began := time.Now()
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			for words.Scan() {
			}
			err = c.Wait()
			if took := time.Since(began); took > patience {
				t.Errorf("it took %v to end", took)
			} else {
				t.Logf("it took %v to end", took)
			}
			if c.ProcessState.ExitCode() != 1 || !strings.Contains(out.String(), says) {
				t.Errorf("%v; it says\n%s", err, out.String())
			}
		})
	}
}
