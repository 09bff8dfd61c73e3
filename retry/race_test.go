//go:build race

package retry_test

// underRace says that figures of time and memory mean nothing.
const underRace = true
