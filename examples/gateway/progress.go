package main

import (
	"fmt"
	"io"
	"os"
)

// progress prints how far the replay is: on a terminal in one line that it rewrites, elsewhere in a few plain lines.
type progress struct {
	out      io.Writer
	terminal bool
	tenths   int // tenths printed so far in plain lines
}

func newProgress(out io.Writer) *progress { return &progress{out: out, terminal: isTerminal(out)} }

func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *progress) show(r *report) {
	line := fmt.Sprintf("%d of %d answered, %d timeouts, %d not as expected", r.answered, r.total, r.timeouts(), len(r.problems))
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K%s", line)
		return
	}
	if tenths := r.answered * 10 / r.total; tenths > p.tenths {
		p.tenths = tenths
		fmt.Fprintln(p.out, line)
	}
}

func (p *progress) end() {
	if p.terminal {
		fmt.Fprintln(p.out)
	}
}
