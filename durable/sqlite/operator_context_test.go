package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
)

func TestOperatorWithoutContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	f := openFile(t, path, sqlite.Options{}, orders)
	defer closeFile(t, f)
	other, err := sqlite.Operate(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	var none context.Context
	for where, o := range map[string]*sqlite.Operator{"inside": f.Operator(), "outside": other} {
		for name, call := range map[string]func() error{
			"Cancel":    func() error { return o.Cancel(none, "a") },
			"Signal":    func() error { return o.Signal(none, "a", "go", []byte("1")) },
			"Retry":     func() error { return o.Retry(none, "a") },
			"Pause":     func() error { return o.Pause(none, "a") },
			"Resume":    func() error { return o.Resume(none, "a") },
			"Remove":    func() error { return o.Remove(none, "a") },
			"Run":       func() error { _, err := o.Run(none, "a"); return err },
			"Counts":    func() error { _, err := o.Counts(none); return err },
			"History":   func() error { _, err := o.History(none, "a"); return err },
			"Schedules": func() error { _, err := o.Schedules(none); return err },
			"Runs": func() (all error) {
				for _, err := range o.Runs(none, sqlite.Query{}) {
					all = errors.Join(all, err)
				}
				return all
			},
		} {
			if err := call(); !errors.Is(err, fault.InvalidRequest) || err.Error() != "InvalidRequest: the context is nil" {
				t.Errorf("%s, %s: %v", where, name, err)
			}
		}
	}
}
