//go:build race

package share_test

// underRace says that the race detector is on: sync.Pool drops some of what it is given then, so what is pooled can't be
// counted.
const underRace = true
