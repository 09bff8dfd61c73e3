//go:build !race

package share_test

const underRace = false
