package share

import (
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
)

// nest is a load as one of those that wait for each other: its steps may ask for other
// loads.
type nest struct{ waits map[*nest]int } // how often for each

// nests guards all of them. Only loads that ask for loads pass it.
var nests sync.Mutex

// nestKey is what the context of a load has its nest under.
type nestKey struct{}

var errCircle = fault.New("Deadlock", "a load would wait for itself")

// await notes that a step of n waits for a load; it reports false if that load, or one
// that it waits for, waits for n.
func (n *nest) await(of *nest) bool {
	if n == nil {
		return true
	}
	nests.Lock()
	defer nests.Unlock()
	if of.needs(n, map[*nest]bool{}) {
		return false
	}
	if n.waits == nil {
		n.waits = make(map[*nest]int)
	}
	n.waits[of]++
	return true
}

// needs reports whether n waits for other, directly or not.
func (n *nest) needs(other *nest, seen map[*nest]bool) bool {
	if n == other {
		return true
	}
	seen[n] = true
	for next := range n.waits {
		if !seen[next] && next.needs(other, seen) {
			return true
		}
	}
	return false
}

// arrive is the reverse of await.
func (n *nest) arrive(of *nest) {
	if n == nil {
		return
	}
	nests.Lock()
	defer nests.Unlock()
	if n.waits[of]--; n.waits[of] == 0 {
		delete(n.waits, of)
	}
}
