package main

import (
	"context"
	"io/fs"
	"strings"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// newPlan makes the plan that reads a folder of tree:
//
//	list ── expect ── for each file, some at a time: read ── tick
//
// list and read block, so each runs on a goroutine of its own, and stops when its context ends. The other steps are on the loop of the
// run, one at a time, so they share the bar without a lock.
func newPlan(tree fs.FS, open int, b *bar) flow.Plan[string, []file] {
	names := step.Await(func(ctx context.Context, folder string) ([]string, error) {
		return list(ctx, tree, folder)
	})
	hashed := step.Await(func(ctx context.Context, name string) (file, error) {
		return read(ctx, tree, name)
	})
	known := flow.Then(names, step.Map(b.expect))
	return flow.Then(known, flow.ParEach(open, flow.Then(hashed, step.Map(b.tick))))
}

// list returns the names of the plain files below folder, except those in hidden folders, in the order of fs.WalkDir.
func list(ctx context.Context, tree fs.FS, folder string) (names []string, err error) {
	err = fs.WalkDir(tree, folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case d.IsDir() && name != folder && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.Type().IsRegular():
			names = append(names, name)
		}
		return nil
	})
	return names, err
}
