//go:build !race

package syncx_test

const underRace = false
