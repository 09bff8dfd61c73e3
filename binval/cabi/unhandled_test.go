//go:build cgo

package cabi_test

import (
	"context"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// C1: unhandled_error is called for a run that fails, also by itself with the code Cancelled, and not for a run that was cancelled.
func TestUnhandledError(t *testing.T) {
	fails := func(err error) func(*cabi.Root, *tool.Manual) {
		return func(r *cabi.Root, _ *tool.Manual) {
			must(t, cabi.Add(r.Steps(), &none, step.Func(func(step.Scope, struct{}) (struct{}, error) { return struct{}{}, err }), &none))
		}
	}
	waits := func(then func(*cabi.Root, *tool.Manual)) func(*cabi.Root, *tool.Manual) {
		return func(r *cabi.Root, m *tool.Manual) {
			mock.Add(r.Binary(), mock.Hook(func(as unsafe.Pointer) {
				mock.SetCancel(as, mock.Hook(func(unsafe.Pointer) {}))
				_, err := m.Immediate(func() { then(r, m) })
				must(t, err)
			}), mock.AsksGo, 0)
		}
	}
	for name, c := range map[string]struct {
		build func(*cabi.Root, *tool.Manual)
		want  string
	}{
		"a cause":             {fails(fault.Wrap("Upstream", "", context.Canceled)), "Upstream"},
		"a secondary error":   {fails(&fault.Error{Code: "Upstream", Secondary: []error{context.Canceled}}), "Upstream"},
		"the code, by Go":     {fails(fault.New(fault.Cancelled, "")), "Cancelled"},
		"the context's error": {fails(context.Canceled), "Cancelled"},
		"the code, by C":      {func(r *cabi.Root, _ *tool.Manual) { mock.Add(r.Binary(), mock.Text("Cancelled"), mock.Fails, 0) }, "Cancelled"},
		"cancel":              {waits(func(r *cabi.Root, _ *tool.Manual) { r.Cancel() }), ""},
		"free":                {waits(func(r *cabi.Root, _ *tool.Manual) { r.Free() }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newReports()
			root, caught := cabi.NewRoot(m.Manual), mock.NewCaught()
			c.build(root, m.Manual)
			mock.Execute(root.Binary(), caught.Data(), mock.Catches)
			for m.Iterate() {
			}
			root.Free()
			if caught.Code() != c.want || (c.want != "") != (caught.Count() == 1) || len(m.errs) != 0 {
				t.Errorf("got %q, %d times, reported %v", caught.Code(), caught.Count(), m.errs)
			}
		})
	}
}
