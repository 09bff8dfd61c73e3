//go:build !race

package stream_test

const underRace = false
