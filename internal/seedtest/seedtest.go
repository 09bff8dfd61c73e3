// Package seedtest makes tests that draw their cases at random draw the same cases each time.
package seedtest

import (
	"flag"
	"os"
)

// Fix sets the seed of pgregory.net/rapid, which otherwise differs in each process, so that a test gives the same answer for
// the same code on each machine. Call Fix in TestMain before the flags are parsed: -rapid.seed on the command line then
// overrides it. The environment variable RAPID_SEED overrides it too. A seed of 0 makes each process draw its own cases.
func Fix() {
	if _, given := os.LookupEnv("RAPID_SEED"); given {
		return
	}
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err) // the test doesn't import rapid
	}
}
