//go:build cgo

package cabi

import "unsafe"

// Held returns how many objects this package keeps: stages not called yet, callbacks and others.
func Held() int {
	flows.mu.Lock()
	defer flows.mu.Unlock()
	n := len(flows.all)
	entries.Range(func(any, any) bool { n++; return true })
	return n + visits.Len() + bags.Len() + stays.Len() + envoys.Len() + callbacks.Len() + plans.Len()
}

// Peers returns how many FutoInAsyncSteps were made.
func Peers() int { return len(*peers.all.Load()) }

func Ready(root unsafe.Pointer) unsafe.Pointer {
	for _, p := range *peers.all.Load() {
		if p.binary() == root {
			return unsafe.Pointer(p.ready().Load())
		}
	}
	return nil
}
