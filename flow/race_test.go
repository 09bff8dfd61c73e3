//go:build race

package flow_test

// underRace says that the race detector is on: sync.Pool drops some of what it is given then, so nothing that is pooled
// can be counted, and everything takes ten times as long.
const underRace = true
