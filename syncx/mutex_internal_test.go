package syncx

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/guard"
)

// A mutex that is left between the two times at which a ticket asks for it lets that
// ticket in: nobody else would.
func TestMutexThatIsFreeWhenAskedAgain(t *testing.T) {
	m := NewMutex(1, 0)
	c := new(guard.Ticket)
	if entered, err := m.wait(c); !entered || err != nil {
		t.Errorf("entered %t, %v", entered, err)
	}
}
