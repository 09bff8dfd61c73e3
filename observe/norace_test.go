//go:build !race

package observe_test

const underRace = false
