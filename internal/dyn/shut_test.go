package dyn

import (
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// C6: code waits, hands its wait to another goroutine, and then goes on in another way while that goroutine completes
// the wait. What the code has said counts. The race detector must find nothing.
func TestCodeDecidesAgainstItsWait(t *testing.T) {
	for range 2000 {
		h := newHarness(t)
		var other sync.WaitGroup
		h.root.Top().Add(body{run: func(s *Step, _ *Args) {
			s.Wait()
			done, begun := s.Done(), make(chan struct{})
			other.Go(func() {
				close(begun)
				done.Fail(fault.Code("Late"))
			})
			<-begun
			var nothing Args
			s.Success(&nothing)
		}}, Code{})
		h.root.Top().Add(h.recordBody("next"), Code{})
		if err := h.run(); err != nil || h.ends != 1 || len(h.events) != 1 {
			t.Fatalf("ended %d times with %v, after %v", h.ends, err, h.events)
		}
		other.Wait()
	}
}
