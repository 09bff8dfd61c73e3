package wasm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"weak"
)

// warm holds the stacks of a few instances that were called lately, because following the weak pointer of an instance takes time. A garbage
// collection empties warm, so that the next one frees the stacks of instances that wait.
var warm [4]struct {
	stacks atomic.Pointer[stacks]
	_      [56]byte // so that entries rarely share a cache line
}

var (
	slots   atomic.Uint32 // counts the instances
	forgets sync.Once
)

func nextSlot() byte {
	forgets.Do(forgetAtCollections)
	return byte(slots.Add(1) % uint32(len(warm)))
}

// forgetAtCollections makes garbage whose collection clears warm and calls forgetAtCollections again.
func forgetAtCollections() {
	runtime.AddCleanup(new([16]byte), func(struct{}) {
		for k := range warm {
			warm[k].stacks.Store(nil)
		}
		forgetAtCollections()
	}, struct{}{})
}

func (i *instance) lastStacks() *stacks {
	at := &warm[i.slot].stacks
	if s := at.Load(); s != nil && s.in == i {
		return s
	}
	s := i.idle.Value()
	if s == nil {
		s = &stacks{in: i}
		i.idle = weak.Make(s)
	}
	at.Store(s)
	return s
}

// cool removes the stacks of an instance that is closed from warm.
func (i *instance) cool() {
	at := &warm[i.slot].stacks
	if s := at.Load(); s != nil && s.in == i {
		at.CompareAndSwap(s, nil)
	}
}
