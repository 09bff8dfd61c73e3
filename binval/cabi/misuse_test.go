//go:build cgo

package cabi_test

import (
	"context"
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Nil arguments are an InvalidRequest.
func TestNilArguments(t *testing.T) {
	root := cabi.NewRoot(loop(t))
	defer root.Free()
	ctx := context.Background()
	run := func(s step.Step[int32, int32]) error {
		_, err := flow.Run(ctx, s, 1)
		return err
	}
	homeless := cabi.NewRoot(nil)
	defer homeless.Free()
	for name, err := range map[string]error{
		"NewRoot: the loop":          homeless.Execute(nil),
		"Add: the stage":             cabi.Add[int32, int32](root.Steps(), &number, nil, &number),
		"Add: the Plan behind s":     cabi.Add(root.Steps(), &number, (*flow.Plan[int32, int32])(nil), &number),
		"Add: the zero Plan":         cabi.Add(root.Steps(), &number, flow.Plan[int32, int32]{}, &number),
		"Add: the codec":             cabi.Add(root.Steps(), nil, double, &number),
		"Call: the codec":            run(cabi.Call[int32, int32](&number, code(mock.Forwards, 0, 0), nil)),
		"Func: the codec of results": run(cabi.Func[int32, int32](func(cabi.Steps, int32) error { return nil }, nil)),
	} {
		if !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("%s is nil: got %v", name, err)
		}
	}
}

func TestExecuteWithoutDone(t *testing.T) {
	l := loop(t)
	root := cabi.NewRoot(l)
	must(t, cabi.Add(root.Steps(), &none, step.Map(func(struct{}) struct{} { return struct{}{} }), &none))
	must(t, root.Execute(nil))
	root.Free()
}

func TestFreeSyncTwice(t *testing.T) {
	s, err := cabi.NewSync(syncx.NewMutex(1, 0))
	must(t, err)
	s.Free()
	s.Free()
}
