package dyn

import (
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// C6: code waits, hands its wait to another goroutine, and then goes on in another way while that goroutine completes
// the wait. The first of both counts. The race detector must find nothing.
func TestCodeDecidesAgainstItsWait(t *testing.T) {
	for range 2000 {
		r := newRig(t)
		var other sync.WaitGroup
		r.root.Top().Add(body{run: func(s *Step, _ *Args) {
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
		r.root.Top().Add(r.noting("next"), Code{})
		if err := r.run(); err != nil || r.ends != 1 || len(r.events) != 1 {
			t.Fatalf("ended %d times with %v, after %v", r.ends, err, r.events)
		}
		other.Wait()
	}
}
