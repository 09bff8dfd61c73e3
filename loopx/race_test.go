//go:build race

package loopx_test

// underRace says that figures of time and memory mean nothing.
const underRace = true
