package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/binval/wasm"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// order is the input of a rule, as JSON.
type order struct {
	Item     string `json:"item"`
	Quantity int    `json:"quantity"`
	Cents    int64  `json:"cents"` // for one piece
}

// price is the result of a rule, as JSON.
type price struct {
	Cents int64 `json:"cents"`
}

// rule is a pricing rule: a module of WebAssembly with the step price.
type rule struct {
	module *wasm.Module
	price  step.Step[order, price]
	stamp  string // the time and size of the file
}

// limits bound each rule. Programs in Go take a while to start, so instances are reused: a rule must not keep anything
// that another request may not see.
var limits = wasm.Limits{Memory: 32 << 20, Instances: 100, Reuse: true, WASI: wasm.Basic()}

const patience = 200 * time.Millisecond

// rules holds the rules of a folder, by the names of their files without .wasm.
type rules struct {
	dir     string
	live    atomic.Pointer[map[string]*rule]
	refused map[string]string // stamps of the files that were refused
}

func newRules(dir string) *rules {
	r := &rules{dir: dir, refused: map[string]string{}}
	r.live.Store(&map[string]*rule{})
	return r
}

var errNoRule = fault.New("NoRule", "there is no rule of that name")

func (r *rules) find(name string) (*rule, error) {
	if found := (*r.live.Load())[name]; found != nil {
		return found, nil
	}
	return nil, errNoRule
}

// load loads the rules of the folder. A file that isn't a rule is reported once, and the former rule of its name stays. If a rule is
// replaced, its calls under way go on. Only one goroutine at a time may call load.
func (r *rules) load(ctx context.Context) error {
	files, err := filepath.Glob(filepath.Join(r.dir, "*.wasm"))
	if err != nil {
		return err
	}
	old, fresh := *r.live.Load(), map[string]*rule{}
	var failed []error
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".wasm")
		now, err := r.loadFile(ctx, file, old[name])
		if err != nil {
			failed = append(failed, fmt.Errorf("rule %s: %w", name, err))
			now = old[name]
		}
		if now != nil {
			fresh[name] = now
		}
	}
	r.live.Store(&fresh)
	for name, was := range old {
		if fresh[name] != was {
			failed = append(failed, was.module.Close())
		}
	}
	return errors.Join(failed...)
}

// loadFile returns the rule of a file: old if the file hasn't changed or was refused, nil if the file is gone.
func (r *rules) loadFile(ctx context.Context, file string, old *rule) (*rule, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) { // it was removed in between
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stamp := fmt.Sprint(info.ModTime(), info.Size())
	if old != nil && old.stamp == stamp || r.refused[file] == stamp {
		return old, nil
	}
	now, err := newRule(ctx, file)
	if err != nil {
		r.refused[file] = stamp
		return nil, err
	}
	delete(r.refused, file)
	now.stamp = stamp
	return now, nil
}

// newRule loads a rule, and asks it for a price to check it.
func newRule(ctx context.Context, file string) (*rule, error) {
	binary, err := os.ReadFile(file) //nolint:gosec // from the folder of the rules
	if err != nil {
		return nil, err
	}
	m, err := wasm.Load(ctx, binary, limits)
	if err != nil {
		return nil, err
	}
	r := &rule{module: m, price: flow.Timeout(patience, wasm.Await[order, price](m, "price"))}
	if _, err := flow.Run(ctx, r.price, order{"sample", 1, 100}); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return r, nil
}
