package dyn

import (
	"runtime"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
)

// S3, B1: a release that ends the goroutine keeps no other from its turn, and the steps are given back. A peer that panics after that is
// reported.
func TestReleasesAfterGoexit(t *testing.T) {
	for name, c := range map[string]struct {
		leave    func() // called by each peer
		reported int
	}{
		"all":              {runtime.Goexit, 0},
		"then peers panic": {func() { panic("in Leave") }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			home := &h.root.home
			free := len(home.steps) // those of a former root
			exits := func(event string) Args {
				return Args{binval.FromCustom(0, func(int) { h.record(event); runtime.Goexit() })}
			}
			h.root.Top().Add(body{run: func(s *Step, _ *Args) {
				s.SetPeer(peerFunc(func() { h.record("begun"); c.leave() }))
				s.Add(failWith("Code"), Code{})
				s.out, s.late = exits("out"), exits("late")
			}}, Code{})
			for _, name := range []string{"unbegun", "last"} {
				p := h.root.Top().Parallel(body{}, Code{})
				p.Add(body{}, Code{}).SetPeer(peerFunc(func() { h.record(name); c.leave() }))
			}
			if err := h.root.Execute(Ended(func(error) { h.ends++ })); err != nil {
				t.Fatal(err)
			}
			for range 3 { // Handle, the end of the step and the end of the root end a goroutine each
				var drives sync.WaitGroup
				drives.Go(func() {
					for h.loop.Iterate() {
					}
				})
				drives.Wait()
			}
			h.want("out late begun unbegun last")
			if len(h.reported) != c.reported || h.ends != 1 {
				t.Errorf("reported: %v; ended %d times", h.reported, h.ends)
			}
			if n := len(home.steps); n != max(free, 6) {
				t.Errorf("%d steps are free, want %d", n, max(free, 6))
			}
		})
	}
}
