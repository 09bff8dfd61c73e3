package binval_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/internal/seedtest"
)

func TestMain(m *testing.M) {
	seedtest.Fix()
	code := m.Run()
	if n := binval.Held(); n != 0 && code == 0 {
		fmt.Println(n, "values were not reset")
		code = 1
	}
	os.Exit(code)
}
