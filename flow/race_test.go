//go:build race

package flow_test

// underRace reports whether the race detector is on. sync.Pool drops some objects then, so allocations can't be
// counted, and everything takes ten times as long.
const underRace = true
