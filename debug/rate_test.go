package debug_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/debug"
)

func TestRatesHaveNoExponent(t *testing.T) {
	for rate, want := range map[float64]string{0: "0", 0.0833: "0.0833", 1.5: "1.5", 12.34: "12.3", 999.6: "1000", 1500: "1500", 1234567: "1234567"} {
		if got := debug.ThreeDigits(rate); got != want {
			t.Errorf("%v is written as %q, want %q", rate, got, want)
		}
	}
}
