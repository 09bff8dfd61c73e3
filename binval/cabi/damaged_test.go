//go:build cgo

package cabi_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/dyn"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type runs func(s *dyn.Step)

func (r runs) Exec(s *dyn.Step, _ *dyn.Args) { r(s) }

func (runs) Catch(*dyn.Step, error) bool { return false }

// dynamic is a stage of a typed plan whose steps are dynamic ones.
type dynamic struct {
	stage *plan.Stage[struct{}, struct{}]
}

func (d dynamic) Stage() *plan.Stage[struct{}, struct{}] { return d.stage }

// B1: a value that can't be reset, because C has damaged it, is reported to the loop's error handler.
func TestB1DamagedValueIsReported(t *testing.T) {
	none := binval.Codec[struct{}]{}
	loop := tooltest.New()
	s := dyn.Embed(runs(func(s *dyn.Step) {
		s.Add(runs(func(s *dyn.Step) {
			a := dyn.Args{binval.FromCustom("value", nil)}
			*(*uintptr)(unsafe.Pointer(&a[0])) = 1 // overwrites the type of the value, as C could
			s.Success(&a)
		}), dyn.Code{})
		s.Add(runs(func(*dyn.Step) {}), dyn.Code{})
	}), dyn.Code{}, &none, &none)
	run := flow.Start(t.Context(), loop, dynamic{s}, struct{}{})
	loop.Run()
	if _, err := run.Result(); !errors.Is(err, binval.ErrPointer) {
		t.Errorf("the run that is left with the value gives %v", err)
	}
	if errs := loop.Errors(); len(errs) == 0 || !errors.Is(errs[0], binval.ErrPointer) {
		t.Errorf("reported are %v", errs)
	}
}
