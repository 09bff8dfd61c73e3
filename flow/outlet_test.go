package flow

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// An outlet gives the values that wait in the order in which they came, without those that were withdrawn.
func TestOutletOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o outlet[int]
		o.wake = func() {}
		var waiting, gone []*emitted[int]
		t.Repeat(map[string]func(*rapid.T){
			"put": func(*rapid.T) {
				x := o.blank()
				o.put(x)
				waiting = append(waiting, x)
			},
			"withdraw": func(t *rapid.T) {
				if len(waiting) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(waiting)-1).Draw(t, "i")
				x := waiting[i]
				if waiting = slices.Delete(waiting, i, i+1); !o.withdraw(x) {
					t.Error("it waits, and can't be withdrawn")
				}
				gone = append(gone, x)
			},
			"take": func(t *rapid.T) {
				x := o.take()
				if x == nil != (len(waiting) == 0) || x != nil && x != waiting[0] {
					t.Fatal("got another value than the oldest")
				}
				if x != nil {
					waiting = waiting[1:]
					x.taken()
					<-x.back
					gone = append(gone, x)
				}
			},
			"reuse": func(t *rapid.T) {
				if len(gone) == 0 {
					t.Skip()
				}
				x := gone[0]
				if o.withdraw(x) {
					t.Fatal("it doesn't wait, and was withdrawn")
				}
				o.reuse(x)
				gone = gone[1:]
			},
		})
	})
}
