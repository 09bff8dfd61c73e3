package syncx

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/guard"
)

// wait lets the ticket in at once if the mutex has become free since ask.
func TestMutexThatIsFreeWhenAskedAgain(t *testing.T) {
	m := NewMutex(1, 0)
	c := new(guard.Ticket)
	if entered, err := m.wait(c); !entered || err != nil {
		t.Errorf("entered %t, %v", entered, err)
	}
}
