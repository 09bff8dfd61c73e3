package private

import (
	"context"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// ErrLoopEnds is the cause with which other runs on a private loop are cancelled when the loop's own run has ended.
var ErrLoopEnds = fault.New(fault.Cancelled, "the loop belonged to a run that has ended: of flow.Run, or of a range over stream.All")

// vacate ends the use of the private loop of a run. The loop goes back into the pool if no other code can refer to it any more.
func (s *loop) vacate() {
	if l := s.lent.Load(); l != nil {
		if !l.takeBack(s.loop) {
			return
		}
		s.lent.Store(nil)
	}
	if s.loop.Reset() == nil {
		s.from.idle.Put(s)
	}
}

func (s *loop) retract() {
	if l := s.lent.Load(); l != nil {
		l.close(true)
	}
}

// Forsake ends the private loop of a run that has ended and has left a part behind: it drives the loop until the part
// has ended, and then calls the function over.
func Forsake(loop *tool.Manual, over func()) {
	ended := false
	defer func() {
		if !ended { // the part has called Goexit
			usercode.Elsewhere(func() { Forsake(loop, over) })
		}
	}()
	End(loop)
	over()
	ended = true
}

// End ends a loop for good, and cancels the runs that live on it.
func End(loop *tool.Manual) {
	loop.Host().Stop(ErrLoopEnds)
	rest(loop)
}

// rest drives loop until no run is left on it, and then ends it. The loop must not accept runs any more.
func rest(loop *tool.Manual) {
	for loop.Host().Live() > 0 {
		if !loop.Iterate() {
			_ = loop.Wait(context.Background())
		}
	}
	_ = loop.Shutdown(context.Background()) // no registration is left, so it has nothing to wait for
}
