// Package racetest has the constant Enabled, which tells tests whether the race detector is on. With the detector everything
// takes longer, and sync.Pool drops some objects, so pooled objects and allocations can't be counted.
package racetest
