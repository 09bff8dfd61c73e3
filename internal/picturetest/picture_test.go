package picturetest

import (
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// A picture is of the plan whose mark it ends with.
func TestIsOf(t *testing.T) {
	one := flow.Describe(step.Map(func(n int) int { return n }))
	other := flow.Describe(step.Map(func(n int) string { return "" }))
	picture := onWhite("<svg width=\"1\"></svg>\n" + mark(one))
	if !isOf(picture, one) {
		t.Errorf("not of its plan:\n%s", picture)
	}
	if isOf(picture, other) || isOf("<svg></svg>", one) {
		t.Error("of another plan, or of none")
	}
	if want := `<svg style="background:#fff" width="1"></svg>` + "\n" + mark(one); picture != want {
		t.Errorf("got %q, want %q", picture, want)
	}
}
