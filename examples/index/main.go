// Index hashes the files of a folder, many at a time, under a progress bar.
//
//	go run ./examples/index [-open 16] [folder] > /tmp/index.txt
//	sha256sum --check --quiet /tmp/index.txt
//
// The folder is the current one if none is given; hidden folders and anything but plain files are left out. The index goes to stdout,
// in the format of sha256sum. The bar, if it is on a terminal, and the totals go to stderr.
//
// It shows reading files with step.Await, a bound on how many are open with flow.ParEach, and how a run ends on Ctrl-C: all
// files are closed, and no partial index is written. Read plan.go first.
//
// The exit status is 0 only with a complete index.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"

	"github.com/futoin-go/asyncsteps/flow"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // the second signal has its usual effect
	open := flag.Int("open", 16, "how many files may be open at a time")
	flag.Parse()
	folder, err := options(*open, flag.Args())
	if err == nil {
		err = run(ctx, os.DirFS(folder), folder, *open, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "index:", err)
		os.Exit(1)
	}
}

// options returns the folder to index.
func options(open int, args []string) (folder string, err error) {
	switch {
	case open < 1:
		return "", fmt.Errorf("-open %d: it has to be 1 or more", open)
	case len(args) > 1:
		return "", fmt.Errorf("unexpected argument %q", args[1])
	case len(args) == 1:
		return args[0], nil
	}
	return ".", nil
}

// run indexes tree. It writes to stdout only after the plan has succeeded.
func run(ctx context.Context, tree fs.FS, folder string, open int, stdout, stderr io.Writer) error {
	fmt.Fprintln(stderr, "indexing", folder)
	b := newBar(stderr)
	files, err := flow.Run(ctx, newPlan(tree, open, b), ".")
	b.end()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted after %d of %d files: %w", b.done, b.total, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	return report(folder, files, stdout, stderr)
}
