package main

import (
	"os"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

// asProgram makes the test binary behave as the program, for tests that need their own process.
const asProgram = "GATEWAY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	leaktest.Main(m)
}
