package syncx

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/guard"
)

// The mutex is left between the two times that it is asked for one ticket, which must not wait then.
func TestMutexThatIsFreeWhenAskedAgain(t *testing.T) {
	m := NewMutex(1, 0)
	c := new(guard.Ticket)
	if entered, err := m.wait(c); !entered || err != nil {
		t.Errorf("entered %t, %v", entered, err)
	}
}
