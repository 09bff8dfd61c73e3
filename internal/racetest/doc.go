// Package racetest tells tests whether the race detector is on, by the constant Enabled. With the detector everything takes
// longer, and sync.Pool drops some objects, so pooled objects and allocations can't be counted.
package racetest
