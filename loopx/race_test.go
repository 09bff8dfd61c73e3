//go:build race

package loopx_test

// underRace reports whether the race detector is on, which changes times and memory.
const underRace = true
