//go:build race

package laws_test

// underRace reports whether the race detector is on. It makes a search of schedules some ten times slower.
const underRace = true
