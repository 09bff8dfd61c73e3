package dyn

import (
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
)

// After Move, to has the values that from had, wherever they stand, and from has none.
func TestMove(t *testing.T) {
	none := Args{}
	for at := range none {
		one, other := none, none
		one[at] = binval.FromNumber(int32(7))
		other[len(other)-1-at] = binval.FromNumber(0.5)
		for _, c := range []struct{ to, from Args }{{none, one}, {other, one}, {other, none}, {none, none}} {
			to, from := c.to, c.from
			Move(&to, &from)
			if to != c.from || from != none {
				t.Errorf("%v moved to %v gives %v, and leaves %v", c.from, c.to, to, from)
			}
		}
	}
}
