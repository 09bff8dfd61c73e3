package op

import (
	"errors"
	"testing"
)

func TestEndedRetryHoldsNoErrors(t *testing.T) {
	b := &setback{failed: []error{errors.New("first"), errors.New("second")}}
	s := tries{setback: b}
	s.Clear()
	if len(b.failed) != 0 {
		t.Errorf("still has %v", b.failed)
	}
	for i, err := range b.failed[:cap(b.failed)] {
		if err != nil {
			t.Errorf("the memory still has error %d: %v", i, err)
		}
	}
}
