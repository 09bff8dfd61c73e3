package share

import (
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
)

// nest is a load that may wait for other loads, because its steps ask for them.
type nest struct{ waits map[*nest]int } // waits counts how many steps of this load wait for each other load

// nests guards all values of type nest. It is locked only for steps of loads, when a wait for another load begins or ends.
var nests sync.Mutex

// nestKey is the context key of the nest of a load.
type nestKey struct{}

var errCircle = fault.New("Deadlock", "a load would wait for itself")

// await records that a step of n waits for other, unless n is nil. If other is n, or waits for n, directly or
// through others, await records nothing and reports false.
func (n *nest) await(other *nest) bool {
	if n == nil {
		return true
	}
	nests.Lock()
	defer nests.Unlock()
	if other.needs(n, map[*nest]bool{}) {
		return false
	}
	if n.waits == nil {
		n.waits = make(map[*nest]int)
	}
	n.waits[other]++
	return true
}

// needs reports whether n is other, or waits for it, directly or not.
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

// arrive undoes await.
func (n *nest) arrive(other *nest) {
	if n == nil {
		return
	}
	nests.Lock()
	defer nests.Unlock()
	if n.waits[other]--; n.waits[other] == 0 {
		delete(n.waits, other)
	}
}
