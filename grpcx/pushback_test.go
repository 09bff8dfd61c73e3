package grpcx

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/syncx"
)

// A client that waits as long as the trailer asks for comes when the pause of the breaker is over, and not before.
func TestPushbackOfABreaker(t *testing.T) {
	for _, tt := range []struct {
		reason      string
		after, want time.Duration
	}{
		{"not known", 0, time.Second},
		{"less than a second", time.Millisecond, time.Second},
		{"whole milliseconds", 1500 * time.Millisecond, 1500 * time.Millisecond},
		{"a part of a millisecond", 1500*time.Millisecond + 1, 1501 * time.Millisecond},
		{"more than the trailer can hold", 30 * 24 * time.Hour, (1<<31 - 1) * time.Millisecond},
		{"the longest", 1<<63 - 1, (1<<31 - 1) * time.Millisecond},
	} {
		refused := fault.Wrap(syncx.CircuitOpen, "", &syncx.Refusal{State: syncx.Open, After: tt.after})
		if d, ok := Pushback(pushback(refused)); d != tt.want || !ok {
			t.Errorf("%s: %v, %t, want %v", tt.reason, d, ok, tt.want)
		}
	}
}
