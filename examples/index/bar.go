package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// bar shows the progress of a run in one line of a terminal. On anything else it only counts.
type bar struct {
	out         io.Writer
	terminal    bool
	done, total int
}

func newBar(out io.Writer) *bar {
	f, ok := out.(*os.File)
	if !ok {
		return &bar{out: out}
	}
	info, err := f.Stat()
	return &bar{out: out, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// expect is a step: it passes on the names of the files to read, and remembers how many there are.
func (b *bar) expect(names []string) []string {
	b.total = len(names)
	return names
}

// tick is a step: it passes on a file that was read, and moves the bar.
func (b *bar) tick(f file) file {
	b.done++
	const width = 40
	if at := b.done * width / b.total; b.terminal && (at > (b.done-1)*width/b.total) {
		fmt.Fprintf(b.out, "\r[%-*s] %d of %d", width, strings.Repeat("#", at), b.done, b.total)
	}
	return f
}

func (b *bar) end() {
	if b.terminal && b.done > 0 {
		fmt.Fprintln(b.out)
	}
}
