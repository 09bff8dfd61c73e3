//go:build !race

package laws_test

const underRace = false
