package reserve

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/goid"
)

// moved calls fn n times as a function with the depth d, each time on a new goroutine, and returns how often the stack
// has grown meanwhile.
func moved(d *Depth, n int, fn func()) (grown int) {
	for range n {
		done := make(chan bool)
		var none *Reserve
		none.Go(d, func() {
			before := goid.Stack()
			fn()
			done <- goid.Stack() > before
		})
		if <-done {
			grown++
		}
	}
	return grown
}

// deep calls itself n times, and takes more than 512 bytes of the stack each time.
//
//go:noinline
func deep(n int) (sum byte) {
	var part [512]byte
	part[n] = 1
	if n > 0 {
		part[0] += deep(n - 1)
	}
	for _, b := range part {
		sum += b
	}
	return sum
}

func TestDepth(t *testing.T) {
	if goid.Stack() == 0 {
		t.Skip("the size of a stack isn't known here, so nothing is learnt")
	}
	const n = 200
	for _, frames := range []int{5, 12, 25} {
		fn := func() { deep(frames) }
		if got := moved(new(Depth), 1, fn); got != 1 {
			t.Fatalf("%d frames: the stack of a function of which nothing is known didn't grow", frames)
		}
		d := new(Depth)
		moved(d, n, fn)
		if got := moved(d, n, fn); got > n/3 {
			t.Errorf("%d frames: the stack has grown in %d of %d calls", frames, got, n)
		}
		moved(d, 1000, func() {})
		if got := d.room.Load(); got > 1 { // with the race detector room 1 may be needed
			t.Errorf("%d frames: nothing is deep any more, and room %d is taken", frames, got)
		}
	}
	d := new(Depth)
	if moved(d, n, func() {}); d.room.Load() > 1 {
		t.Errorf("room %d is taken for a function that needs none", d.room.Load())
	}
	moved(d, n, func() { deep(200) })
	if got := d.room.Load(); int(got) > len(rooms)-1 {
		t.Errorf("there is no room %d", got)
	}
}
