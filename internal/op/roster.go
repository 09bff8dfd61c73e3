package op

import "github.com/futoin-go/asyncsteps/internal/frame"

// roster is the state of a step whose branches are lanes. A lane ends when there is nothing for it
// to do, and begins again when there is.
type roster struct {
	branches
	idle  []int32 // lanes that have ended, or have never begun
	ends  []int32 // lanes that are about to end, or have ended since collect was called
	lanes int     // how many lanes there are
}

// Clear makes the roster ready for another step, and keeps its memory unless that is too large.
func (r *roster) Clear() {
	r.Follower = nil
	r.ends = r.ends[:0]
	if r.idle = r.idle[:0]; cap(r.idle) > kept {
		r.idle, r.ends = nil, nil
	}
	r.branches.Clear()
}

// open makes n lanes, which are idle. The roster must be clear.
func (r *roster) open(n int) {
	r.lanes = n
	r.Grow(n)
	for i := range n {
		r.idle = append(r.idle, int32(n-1-i)) // begin takes lanes from the end
	}
}

// begin begins an idle lane, or a new one if all lanes are busy and there are fewer than limit. It reports whether it has
// begun a lane.
func (r *roster) begin(f *frame.Frame, level *frame.Level, limit int) bool {
	var lane int32
	switch last := len(r.idle) - 1; {
	case last >= 0:
		lane, r.idle = r.idle[last], r.idle[:last]
	case r.lanes < limit:
		lane = int32(r.Add())
		r.lanes++
	default:
		return false
	}
	if b := r.Branch(int(lane)); !b.HasRoot() {
		b.Call(open(f, level, lane))
	}
	f.Again(int(lane))
	return true
}

// collect moves the lanes that have ended from ends to idle.
func (r *roster) collect() {
	n := 0
	for _, lane := range r.ends {
		if r.HasEnded(int(lane)) {
			r.idle = append(r.idle, lane)
		} else {
			r.ends[n] = lane
			n++
		}
	}
	r.ends = r.ends[:n]
}
