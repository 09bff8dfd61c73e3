package binval_test

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
)

// The other values are reset although one is damaged.
func TestArgsReset(t *testing.T) {
	for damaged := range binval.MaxArgs {
		var a binval.Args
		released := 0
		for i := range a {
			a[i] = binval.FromCustom(i, func(int) { released++ })
		}
		whole := a[damaged].Take()
		a[damaged].SetType(1)
		if err := a.Reset(); !errors.Is(err, binval.ErrPointer) || released != binval.MaxArgs-1 {
			t.Errorf("value %d is damaged: %v, %d released", damaged, err, released)
		}
		if err := whole.Reset(); err != nil || released != binval.MaxArgs {
			t.Errorf("value %d: %v", damaged, err)
		}
	}
}
