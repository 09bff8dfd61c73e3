package op

import (
	"errors"
	"testing"
)

// The memory of a retry that has ended refers to none of its errors.
func TestEndedRetryHoldsNoErrors(t *testing.T) {
	s := tries{failed: []error{errors.New("first"), errors.New("second")}}
	s.Clear()
	if len(s.failed) != 0 {
		t.Errorf("still has %v", s.failed)
	}
	for i, err := range s.failed[:cap(s.failed)] {
		if err != nil {
			t.Errorf("the memory still has error %d: %v", i, err)
		}
	}
}
