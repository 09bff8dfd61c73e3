//go:build race

package syncx_test

// underRace reports whether the race detector is on. sync.Pool drops some objects then, so allocations can't be
// counted.
const underRace = true
