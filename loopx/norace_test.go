//go:build !race

package loopx_test

const underRace = false
