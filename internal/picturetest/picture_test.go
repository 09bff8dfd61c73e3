package picturetest

import (
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// A picture is of the plan whose mark it ends with.
func TestIsOf(t *testing.T) {
	one := flow.Describe(step.Map(func(n int) int { return n }))
	text := flow.Describe(step.Map(func(n int) string { return "" }))
	picture := "<svg></svg>\n" + mark(one)
	if !isOf(picture, one) {
		t.Errorf("not of its plan:\n%s", picture)
	}
	if isOf(picture, text) || isOf("<svg></svg>", one) {
		t.Error("of another plan, or of none")
	}
	second, other := limited(time.Second), limited(time.Minute)
	if second.Digest != other.Digest || isOf(mark(second), other) || !isOf(mark(second), limited(time.Second)) {
		t.Error("the limit, which is drawn, makes no difference, or the line does")
	}
}

func limited(d time.Duration) *flow.Tree {
	return flow.Describe(flow.Timeout(d, step.Map(strings.ToUpper)))
}
