package binval_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
)

// All tests together must leave no value that wasn't reset.
func TestMain(m *testing.M) {
	code := m.Run()
	if n := binval.Held(); n != 0 && code == 0 {
		fmt.Println(n, "values were not reset")
		code = 1
	}
	os.Exit(code)
}
