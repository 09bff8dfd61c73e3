package frame

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// Terms say when a [Fork] is decided before all of its branches have ended (P6). With the zero
// Terms all branches have to succeed (P2).
type Terms struct {
	Wins     int           // number of successes with which the fork succeeds; 0: all
	Losses   int           // number of errors that the fork survives; one more fails it
	Stagger  time.Duration // if positive, a branch begins this long after the one before it, or as soon as a branch fails
	Lost     error         // the cause with which the contexts of the other branches end once the fork is decided; nil stands for errLost
	OnlyLate bool          // for a Stagger and one win: no branch begins after one has failed
}

// race is the state of a Fork with Terms in one run.
type race struct {
	Terms

	won     []int32 // numbers of the branches that have succeeded, in the order of their successes
	lost    []error // errors that were survived, oldest first, at most mostLost
	defects []error // defects of the branches with survived errors, to be reported if the fork succeeds; at most mostLost
	started int     // branches that the Terms have let begin; all of them once no other may begin
	losses  int     // errors that were survived, and with OnlyLate branches that won't begin
	unkept  int32   // defects that defects has no room for
	decided bool    // the fork has succeeded, and its other branches are being left

	open   atomic.Int32 // branches that live or may yet begin; with a Follower, only those that it has begun
	claims atomic.Pointer[Claims]
}

var errLost error = fault.New(fault.Cancelled, "other branches have decided the race")

// Won returns the number, see [Fiber.Index], of a branch that has succeeded: the first for i = 0, the second for 1.
func (k *Fork) Won(i int) int { return int(k.won[i]) }

// Decided reports whether k has succeeded because of its Terms, in the run that uses it
// or has used it last.
func (k *Fork) Decided() bool { return k.decided }

// Racer is an op that may fork with Terms.
type Racer interface {
	// Winners returns the branches that have decided the current step of f, in the order
	// in which they have succeeded; nil if none have.
	Winners(f *Frame) []int
}

// Winners returns the winners of the current step; nil if it isn't a race.
func (f *Frame) Winners() []int {
	if op, races := f.Op().(Racer); races {
		return op.Winners(f)
	}
	return nil
}

// Race returns the race that s is a branch of, nil if there is none. The race can't go on if none of the branches that live, or
// may yet begin, can go on.
func (s *Fiber) Race() *Fork {
	if s.fork != nil && s.fork.races() {
		return s.fork
	}
	return nil
}

// Holder returns the fiber that has forked k.
func (k *Fork) Holder() *Fiber { return k.holder }

// Open returns how many branches of k, a race, live or may yet begin; with a Follower, only those that have begun
// count. The goroutine of another loop may call Open, Claims and SetClaims while a branch waits for a run there.
func (k *Fork) Open() int { return int(k.open.Load()) }

// Claims returns the relations of k, a race, to guards; nil until the first.
func (k *Fork) Claims() *Claims { return k.claims.Load() }

// SetClaims sets the claims of k, which keeps them as a [Fiber] does.
func (k *Fork) SetClaims(c *Claims) { k.claims.Store(c) }

// fewer records that n branches of k, a race, have ended or won't begin.
func (k *Fork) fewer(n int) {
	k.open.Add(int32(-n))
	if c := k.claims.Load(); c != nil { // otherwise code that calls SetClaims afterwards finds the new number
		c.Of.Fewer()
	}
}

// noMore records that k begins no other branch, because it is decided, is being left, or has OnlyLate and a failure.
func (k *Fork) noMore() {
	if n := len(k.Branches) - k.started; n > 0 && k.races() {
		k.started += n
		k.fewer(n)
	}
}

// races reports whether k may be decided before all of its branches have ended.
func (k *Fork) races() bool { return k.Wins > 0 }

// lineUp prepares k for its branches to begin, and returns how many begin at once unless a Follower begins them.
func (k *Fork) lineUp(f *Frame) int {
	k.won, k.decided = k.won[:0], false
	k.Clear()
	if k.races() {
		f.KeepOrder() // a branch in transit may decide the race: no branch begins before (P6)
		k.open.Store(0)
		if k.Follower == nil {
			k.open.Store(int32(len(k.Branches)))
		}
	}
	if k.started = len(k.Branches); k.Stagger > 0 && k.started > 1 {
		k.started = 1
		f.setAlarm(k.Stagger)
	}
	return k.started
}

// beginNext begins the next branch of the staggered fork that f holds. If the fork is shielded, it ends the grace instead.
func (r *Run) beginNext(f *Frame) {
	k := f.fork
	if k != nil && k.Shields {
		r.outlive(f)
		return
	}
	if k == nil || k.decided || f.fiber.frozen || f.fiber.mode != running || k.started == len(k.Branches) {
		return
	}
	k.started++
	if k.started < len(k.Branches) {
		f.setAlarm(k.Stagger)
	} else {
		f.resources.disarm()
	}
	r.startBranch(k, k.started-1)
}

func (f *Frame) setAlarm(d time.Duration) {
	if f.SetTimeout(d) {
		f.resources.alarm, f.resources.ends = true, never // no deadline for what runs under the step (C8)
	}
}

// decide handles the end of s, a branch of k. The holder of k isn't being left. decide reports false if s has failed and its
// error is the error of the fork.
func (r *Run) decide(k *Fork, s *Fiber, won bool, err error) bool {
	switch {
	case k.decided:
		var broken []error
		if s.trail != nil {
			broken = slices.Clone(s.trail.defects)
			s.trail.shrink()
		}
		r.leaveNext(k)
		r.complain(broken)
	case won:
		if k.won = append(k.won, s.index); len(k.won) == k.Wins {
			r.succeed(k)
		}
	default:
		return r.lose(k, s, err)
	}
	return true
}

// lose handles the error of s. It reports false if that error is the error of the fork.
func (r *Run) lose(k *Fork, s *Fiber, err error) bool {
	if k.OnlyLate {
		k.losses += len(k.Branches) - k.started
		k.lastHasBegun()
	}
	if k.losses == k.Losses || !k.goesOn(int(s.index)) {
		return false
	}
	k.lose(err, s.trail)
	r.beginNext(k.holder.top)
	return true
}

// lastHasBegun ends the Stagger of k, a race whose holder isn't being left: no other branch begins.
func (k *Fork) lastHasBegun() {
	k.noMore()
	if f := k.holder.top; f.bits&installed != 0 {
		f.resources.disarm()
	}
}

// whyLost returns the cause with which branches are left once k is decided.
func (k *Fork) whyLost() error {
	if k.Lost != nil {
		return k.Lost
	}
	return errLost
}

// goesOn reports whether k may still succeed after the branch with the number i has failed. Without a Follower it may, because
// k survives the error. A Follower is told of the failure, so that it may begin another branch; then k goes on if any branch
// lives.
func (k *Fork) goesOn(i int) bool {
	if k.Follower == nil {
		return true
	}
	k.live--
	k.tellFollower(i)
	return k.live > 0
}

func (r *Run) succeed(k *Fork) {
	k.decided = true
	k.lastHasBegun()
	broken := k.broken()
	k.defects, k.unkept = nil, 0
	r.freeze(k.holder, k.whyLost())
	r.leaveNext(k)
	r.complain(broken)
}
