package loopx_test

import (
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A loop counts from zero in each run.
func TestEachSeqCountsAnew(t *testing.T) {
	loop := tooltest.New()
	plan := loopx.EachSeq(spell[int, string]())
	for range 3 {
		run := flow.Start(t.Context(), loop, plan, slices.Values([]string{"a", "b"}))
		loop.Run()
		if got, err := run.Result(); err != nil || got != "0=a 1=b " {
			t.Errorf("got %q, %v", got, err)
		}
	}
}
