package wasm

import (
	"time"

	"github.com/futoin-go/asyncsteps/binval/internal/table"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/syncx"
)

// latch is a guard that the guest has as a FutoInSync*.
type latch struct {
	at    uint32
	guard guard.Guard
	name  string // in Limits.Guards; "" for a guard that the guest has made
	found int    // how many times it was found by name and not freed
}

const syncSize = 8

func (i *instance) newSync(g syncx.Guard) uint32 {
	if own, ok := g.(interface{ Err() error }); ok && own.Err() != nil {
		return 0
	}
	return i.addSync(table.Untyped(g)).at
}

// namedSync returns the guest's pointer of the guard that the host shares under name; 0 if there is none. It returns the same pointer
// until the guest frees it, so a guest that finds the guard in each run keeps one object.
func (i *instance) namedSync(name string) uint32 {
	if l := i.named[name]; l != nil {
		l.found++
		return l.at
	}
	g, ok := i.mod.guards[name]
	if !ok {
		return 0
	}
	l := i.addSync(g)
	if i.named == nil {
		i.named = make(map[string]*latch)
	}
	l.name, l.found = name, 1
	i.named[name] = l
	return l.at
}

func (i *instance) addSync(g guard.Guard) *latch {
	at := i.alloc(syncSize)
	number := i.ticket()
	if i.guards == nil {
		i.guards = make(map[uint32]*latch)
	}
	l := &latch{at: at, guard: g}
	i.guards[number] = l
	i.store(at, i.syncs)
	i.store(at+4, number)
	return l
}

// findSync returns the guard that a pointer of the guest names, and its number; nil if there is none.
func (i *instance) findSync(at uint32) (uint32, *latch) {
	if at == 0 {
		return 0, nil
	}
	number := i.load(at + 4)
	if s := i.guards[number]; s != nil && s.at == at {
		return number, s
	}
	return 0, nil
}

// guardOf returns the guard that a pointer of the guest names, or one that refuses every flow if the pointer names none.
func (i *instance) guardOf(at uint32) guard.Guard {
	if _, s := i.findSync(at); s != nil {
		return s.guard
	}
	return guard.Guard{Enter: func(*guard.Ticket) (bool, error) { return false, errNoSync }}
}

var errNoSync = fault.New(fault.InvalidRequest, "the FutoInSync isn't of this engine, or was freed")

// freeSync takes a guard from the guest. A guard that was found by name is taken when it has been freed as often as it was found. Steps that
// are inside or wait go on.
func (i *instance) freeSync(at uint32) {
	if number, s := i.findSync(at); s != nil {
		if s.found--; s.found > 0 {
			return
		}
		delete(i.guards, number)
		if i.named[s.name] == s {
			delete(i.named, s.name)
		}
		i.release(at)
	}
}

// queue converts the length of a queue. Negative numbers stand for no limit.
func queue(n uint32) int { return int(max(int32(n), -1)) }

func ms(n uint32) time.Duration { return time.Duration(n) * time.Millisecond }
