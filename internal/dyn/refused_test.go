package dyn

import (
	"errors"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/tool"
)

// E7: several goroutines execute a root whose loop takes no more runs. The steps are given back once. The race detector must find nothing.
func TestRefusedByManyGoroutines(t *testing.T) {
	h := newHarness(t)
	if err := h.loop.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		r, left := NewRoot(h.loop), 0
		r.Top().Parallel(body{}, Code{}).SetPeer(peerFunc(func() { left++ }))
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				err := r.Execute(Ended(func(error) { t.Error("the owner is told of an end") }))
				if !errors.Is(err, tool.ErrShutdown) {
					t.Errorf("got %v", err)
				}
			})
		}
		all.Wait()
		if left != 1 {
			t.Fatalf("the step was left %d times", left)
		}
	}
}
