//go:build race

package retry_test

// underRace is true in tests with the race detector, which falsifies measures of time and memory.
const underRace = true
