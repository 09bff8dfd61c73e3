package seam

import (
	"context"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/tool"
)

// A run of Run takes a private loop when it needs one, and not before.
func TestRunTakesALoopOnlyIfItNeedsOne(t *testing.T) {
	var n *Node
	n = NewNode[private, private]("nothing", func(e *Emitter) { e.Op(n, nothing{}) })
	plain := NewStage[private, private](n)
	for name, c := range map[string]struct {
		plan *Stage[private, private]
		want int
	}{"a step": {plain, 0}, "a timer": {Timeout(time.Hour, plain), 1}} {
		taken := 0
		p := newSolos(tool.Options{})
		p.spare = func(driver uint64) (tool.Tool, drive.Loop) {
			taken++
			return p.take(driver)
		}
		optional.Store(true)
		ctx := context.WithValue(t.Context(), optionsKey{}, p)
		if _, err := Run(ctx, c.plan, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if taken != c.want {
			t.Errorf("%s: %d loops were taken", name, taken)
		}
	}
}
