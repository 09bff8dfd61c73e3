package plan

import "testing"

// A plan without defects is checked once as a whole, and not again for each stage that is built from it.
func TestSoundPlanIsLookedAtOnce(t *testing.T) {
	kid := NewNode[int, int]("kid", nil)
	whole := NewNode[int, int]("whole", nil, kid)
	if err := whole.Err(); err != nil || !whole.sound.Load() || !kid.sound.Load() {
		t.Fatalf("%v; marked as sound: the whole %t, its kid %t", err, whole.sound.Load(), kid.sound.Load())
	}
	kid.Reject("looked at again")
	if err := NewNode[int, int]("around", nil, whole).Err(); err != nil {
		t.Errorf("a plan is looked at twice: %v", err)
	}
}
