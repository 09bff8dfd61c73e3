package plan

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/tool"
)

type timed struct{ frame.Leaf }

func (timed) Exec(f *frame.Frame) frame.Verdict {
	f.SetTimeout(time.Hour)
	return frame.Done
}

func only(op frame.Op) *Stage[unshared, unshared] { return times(1, op) }

func times(n int, op frame.Op) *Stage[unshared, unshared] {
	all := NewNode[unshared, unshared]("times", func(e *Emitter, all *Node) {
		for range n {
			e.Op(all, op)
		}
	})
	return NewStage[unshared, unshared](all)
}

func TestRunTakesALoopOnlyIfItNeedsOne(t *testing.T) {
	for name, c := range map[string]struct {
		plan *Stage[unshared, unshared]
		want int
	}{
		"a step":                        {only(nothing{}), 0},
		"a run of several turns":        {times(1000, nothing{}), 0},
		"a limit that is taken back":    {only(timed{}), 0},
		"a step that asks for its loop": {only(asking{}), 1},
	} {
		taken := 0
		ctx := private.WithOptions(t.Context(), tool.Options{Host: []tool.HostOption{func(*tool.Host) { taken++ }}})
		if _, err := Run(ctx, c.plan, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if taken != c.want {
			t.Errorf("%s: %d loops were taken", name, taken)
		}
	}
}

type asking struct{ nothing }

func (asking) Exec(f *frame.Frame) frame.Verdict {
	f.Run().Tool()
	return frame.Done
}
