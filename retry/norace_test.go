//go:build !race

package retry_test

const underRace = false
