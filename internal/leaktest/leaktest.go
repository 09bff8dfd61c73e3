// Package leaktest finds goroutines that a test leaves behind.
package leaktest

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience is how long a goroutine may take to end after the test. It may have been told to end, but the scheduler hasn't run it
// since.
const patience = 2 * time.Second

// Main runs the tests of a package. If they succeed but leave goroutines behind, it prints their stacks and fails. It doesn't
// return. Use it as the body of TestMain.
func Main(m *testing.M) {
	before := running()
	code := m.Run()
	if code == 0 {
		if leaked := wait(before); leaked != nil {
			fmt.Fprint(os.Stderr, report(leaked))
			code = 1
		}
	}
	os.Exit(code)
}

// Check fails t if a goroutine that began after this call still runs some time after t and the cleanups registered after this
// call are done. It isn't for parallel tests, which would see each other's goroutines.
func Check(t testing.TB) {
	t.Helper()
	before := running()
	t.Cleanup(func() {
		t.Helper()
		if leaked := wait(before); leaked != nil {
			t.Error(report(leaked))
		}
	})
}

// stacks maps a goroutine's header up to its number, "goroutine 18", to its whole stack.
type stacks map[string]string

// wait returns nil as soon as no goroutine runs that isn't in before. If some still run when patience is over, it returns
// these.
func wait(before stacks) stacks {
	deadline := time.Now().Add(patience)
	for pause := time.Microsecond; ; pause *= 2 {
		leaked := running()
		for id := range before {
			delete(leaked, id)
		}
		if len(leaked) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return leaked
		}
		time.Sleep(min(pause, 50*time.Millisecond))
	}
}

// running returns the goroutines of the program, except the one that calls it and the innocent ones.
func running() stacks {
	found := stacks{}
	for i, stack := range strings.Split(string(all()), "\n\n") {
		header, frames, _ := strings.Cut(stack, "\n")
		id, _, _ := strings.Cut(header, " [")
		if i > 0 && !innocent(frames) { // the goroutine of the caller comes first
			found[id] = stack
		}
	}
	return found
}

// innocent reports whether frames are those of the goroutine that delivers signals. That goroutine starts with the first use of
// package os/signal and lasts as long as the process.
func innocent(frames string) bool {
	return strings.Contains(frames, "os/signal.signal_recv(") || strings.Contains(frames, "os/signal.loop(")
}

func all() []byte {
	for buf := make([]byte, 64<<10); ; buf = make([]byte, 2*len(buf)) {
		if n := runtime.Stack(buf, true); n < len(buf) {
			return bytes.TrimSpace(buf[:n])
		}
	}
}

func report(leaked stacks) string {
	ids := make([]string, 0, len(leaked))
	for id := range leaked {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var out strings.Builder
	fmt.Fprintf(&out, "%d goroutines left behind:\n", len(leaked))
	for _, id := range ids {
		fmt.Fprintf(&out, "\n%s\n", leaked[id])
	}
	return out.String()
}
