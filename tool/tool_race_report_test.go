package tool_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The report of a data race is short, however many timers the loop has run before.
// It would be long if a method of a loop were promoted from an embedded pointer: the compiler's wrapper of
// such a method ends in a tail call, so the race detector sees the wrapper enter but not leave, and each call
// makes later stacks longer.
func TestRaceReportIsShort(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with -race")
	}
	racy := filepath.Join(t.TempDir(), "racy")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-race", "-o", racy, "./testdata/race").CombinedOutput(); err != nil {
		for _, missing := range []string{"-race is not supported", "-race requires cgo", "C compiler"} {
			if strings.Contains(string(out), missing) {
				t.Skipf("no race detector here: %s", out)
			}
		}
		t.Fatalf("%v: %s", err, out)
	}
	for _, loop := range []string{"loop", "manual", "tooltest"} {
		t.Run(loop, func(t *testing.T) {
			report, _ := exec.CommandContext(t.Context(), racy, loop).CombinedOutput() // the exit code reports that there was a race
			if !bytes.Contains(report, []byte("WARNING: DATA RACE")) {
				t.Fatalf("no report: %s", report)
			}
			if n := bytes.Count(report, []byte("\n")); n > 100 {
				t.Errorf("the report has %d lines:\n%.2000s", n, report)
			}
		})
	}
}
