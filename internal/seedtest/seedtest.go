// Package seedtest makes tests that draw their cases at random draw the same cases each time.
package seedtest

import (
	"flag"
	"os"
)

// Fix sets the seed of pgregory.net/rapid, so that a test gives the same answer for the same code on each machine. Without Fix,
// each process has another seed. Call Fix in TestMain before the flags are parsed: then -rapid.seed on the command line overrides
// the seed. If the environment variable RAPID_SEED is set, rapid takes the seed from there, and Fix does nothing. With a seed of
// 0 each process draws its own cases.
func Fix() {
	if _, given := os.LookupEnv("RAPID_SEED"); given {
		return
	}
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err) // the test doesn't import rapid
	}
}
