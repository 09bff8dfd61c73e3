// Package racetest tells tests whether the race detector is on, as the constant Enabled. With the detector everything
// takes some ten times as long, and sync.Pool drops some objects, so what is pooled or allocated can't be counted.
package racetest
