package dyn

import (
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/internal/op"
)

// §1.5: a typed step can't be copied, and the run is told so when it gets there.
func TestCopyOfATypedStep(t *testing.T) {
	none := binval.Codec[struct{}]{}
	model, r := newRig(t), newRig(t)
	model.root.Top().Plan(Plan(op.Map(func(struct{}) struct{} { return struct{}{} }), &none, &none))
	r.root.Top().Add(r.noting("before"), Code{})
	r.root.Top().Copy(model.root)
	if err := r.run(); err == nil || !strings.Contains(err.Error(), "is a copy of a typed step") {
		t.Errorf("got %v", err)
	}
	r.want("before")
}
