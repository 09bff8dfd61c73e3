package frame

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/site"
)

func TestInfoBeyondTheLastStep(t *testing.T) {
	last := &site.Info{Kind: "last"}
	for pc, want := range []*site.Info{last, unknown} {
		f := Frame{level: &Level{Infos: &Infos{last}}, pc: int32(pc)}
		if got := f.Info(); got != want {
			t.Errorf("step %d is %v, want %v", pc, got, want)
		}
	}
}
