//go:build cgo

package cabi

import (
	"maps"
	"sync"
)

// variables are the state variables that C has made with the pointer of a root or of a step in its run. The root keeps them until it is
// freed, and any thread may ask for them (B7).
type variables struct {
	mu   sync.RWMutex
	held map[string]any // nil if there are none
}

func (v *variables) Get(key string) (any, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	value, ok := v.held[key]
	return value, ok
}

func (v *variables) Set(key string, value any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.held == nil {
		v.held = make(map[string]any)
	}
	v.held[key] = value
}

// keep returns the value under key, and stores value there if there is none.
func (v *variables) keep(key string, value *state) any {
	v.mu.Lock()
	defer v.mu.Unlock()
	if first, ok := v.held[key]; ok {
		return first
	}
	if v.held == nil {
		v.held = make(map[string]any)
	}
	v.held[key] = value
	return value
}

func (v *variables) none() bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.held) == 0
}

func (v *variables) all() map[string]any {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return maps.Clone(v.held)
}

// drop cleans the variables up. No lock is held meanwhile: the cleanups may call the table.
func (v *variables) drop() {
	v.mu.Lock()
	held := v.held
	v.held = nil
	v.mu.Unlock()
	for _, value := range held {
		if s, ours := value.(*state); ours {
			s.drop()
		}
	}
}
