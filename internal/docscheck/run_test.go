package docscheck

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience bounds the time of a program on a busy machine.
const patience = time.Minute

func (p *program) check(t *testing.T, dir, command string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 && p.fails() {
		err = nil
	} else if err == nil && p.fails() {
		err = errors.New("the page says that it fails")
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", p.at(), err, out)
	}
	if p.shown == nil {
		return
	}
	got, want := string(out), p.shown.text
	if p.contains(testFunc) {
		got, want = timeless(got), timeless(want)
	}
	if bare(got) != bare(want) {
		t.Errorf("%s prints\n%s\nbut %s:%d shows\n%s", p.at(), out, p.shown.page, p.shown.line, p.shown.text)
	}
}

func (p *program) fails() bool { return p.shown != nil && slices.Contains(p.shown.args, "exit") }

func bare(text string) string { return strings.TrimRight(blanks.ReplaceAllString(text, "\n"), "\n") }

var blanks = regexp.MustCompile(`[ \t]+\n`)

var duration = regexp.MustCompile(`\d+(\.\d+)?(ns|µs|ms|s)\b`)

// timeless replaces the durations in the output of go test, which vary.
func timeless(text string) string { return duration.ReplaceAllString(text, "0s") }
