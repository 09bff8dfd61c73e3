package frame

// Branch is the memory of one fiber of a fork.
type Branch struct {
	fiber      Fiber
	root       *Frame      // its outermost level
	activation *Activation // the activation whose frame is root; nil if root is embedded elsewhere
}

// Enter sets the level that the branch begins with.
func (b *Branch) Enter(root *Frame) { b.root, b.activation = root, nil }

// Call sets an activation that the branch begins with. Join gives it back.
func (b *Branch) Call(in *Activation) { b.root, b.activation = &in.root, in }

// Index sets the number that paths show for the branch. The branch must have begun.
func (b *Branch) Index(i int) { b.fiber.index = int32(i) }

// Root returns the outermost level of the branch.
func (b *Branch) Root() *Frame { return b.root }

// HasRoot reports whether Call has given the branch its level.
func (b *Branch) HasRoot() bool { return b.activation != nil }

// Fork is the state of a step that holds parallel branches (P1–P3). It belongs to the state of the step's op.
type Fork struct {
	Branches []Branch
	later    []*Branch // branches added by Add; their numbers follow those of Branches
	Follower Follower  // decides when branches begin; nil if they begin with the fork
	race
	shielding

	holder   *Fiber
	live     int   // branches that the fork still waits for; in a race lowered only by failures, and only with a Follower
	next     int32 // first branch that hasn't begun to be left
	outgoing int32 // branches that are being left
	walk     int32 // cursor of freeze
}

// Follower decides when the branches of a [Fork] begin.
type Follower interface {
	// Follow begins the branches that may begin now. It is called with i = -1 when f has just forked, and then each time that a
	// branch has succeeded. In a race it is called instead each time that a branch has failed and Losses allows for the failure.
	// i is the number of that branch, see [Fiber.Index]. Follow must not call user code.
	Follow(f *Frame, i int)
}

// Fork starts the branches of k, in order, each on its own fiber; with a Stagger only the first. If k has a Follower, the
// Follower starts them instead. The current step, unless it is left before, is resumed when all branches have succeeded or, in
// a race, when the Terms of k are met and the branches that have lost were left. Without branches it is resumed at once.
func (f *Frame) Fork(k *Fork) Verdict {
	s, r := f.fiber, f.fiber.run
	k.holder = s
	k.resetShield(s)
	k.live, k.later = len(k.Branches), k.later[:0]
	k.next, k.outgoing = 0, 0
	f.fork = k
	starts := k.lineUp(f)
	if k.Follower != nil {
		k.Follower.Follow(f, -1)
	} else {
		for i := range starts {
			r.startBranch(k, i)
		}
	}
	if k.live > 0 { // otherwise s goes on at once
		s.course = leaving // after its branches have ended it counts as newly arrived: see setAside and arrives
	}
	return Forked
}

func (r *Run) startBranch(k *Fork, i int) { r.ready.push(k.start(i)) }

// start makes branch i ready to begin its first step, and returns its fiber.
func (k *Fork) start(i int) *Fiber {
	b := k.Branch(i)
	b.fiber.fork = k
	b.fiber.index = int32(i)
	b.fiber.frozen, b.fiber.outgoing = false, false
	if k.Follower != nil && k.races() {
		k.open.Add(1)
	}
	b.fiber.start(k.holder.run, b.root)
	return &b.fiber
}

// tellFollower tells the Follower of k that branch i has ended, unless k has no Follower or is being left.
func (k *Fork) tellFollower(i int) {
	if k.Follower != nil && k.holder.mode == running {
		k.Follower.Follow(k.holder.top, i)
	}
}

// Begin begins branch i of the current step's fork, for its Follower. Call or Enter must have given the branch its level
// before.
func (f *Frame) Begin(i int) { f.fiber.run.startBranch(f.fork, i) }

// Follower returns the Follower of the fork that f's branch belongs to. It may differ from the op of the step that has forked:
// if the step has a handler, its op is one around the Follower.
func (f *Frame) Follower() Follower { return f.fiber.fork.Follower }

// Grow sets the number of Branches to n. It must not be called while a run uses the branches, because they may move.
func (k *Fork) Grow(n int) {
	if n > cap(k.Branches) {
		k.Branches = make([]Branch, n)
	}
	k.Branches = k.Branches[:n]
}

// Shrink drops the memory that k keeps for branches, if that has room for more than the given number.
func (k *Fork) Shrink(most int) {
	if cap(k.Branches) > most {
		k.Branches = nil
	}
	if cap(k.later) > most {
		k.later = nil
	}
}

// Branch returns branch i: those of Grow come first, then those of Add.
func (k *Fork) Branch(i int) *Branch {
	if i < len(k.Branches) {
		return &k.Branches[i]
	}
	return k.later[i-len(k.Branches)]
}

func (k *Fork) count() int { return len(k.Branches) + len(k.later) }

// Join gives back the activations of the branches, which have all ended, ends the context that a shield made for them,
// and drops the reason why they were to be left.
func (f *Frame) Join(k *Fork) {
	k.endContext(nil)
	k.why = nil
	for i := range k.count() {
		if b := k.Branch(i); b.activation != nil {
			f.fiber.run.release(b.activation)
			b.activation, b.root, b.fiber.top = nil, nil, nil
		}
	}
}

// A fork with lanes has branches that begin while others run, and that may begin again
// after they have ended.

// Idle tells the fork that n of its branches haven't begun: it doesn't wait for them.
func (k *Fork) Idle(n int) { k.live -= n }

// Again begins branch i of the current step's fork. The branch is idle or has ended.
func (f *Frame) Again(i int) {
	f.fork.live++
	f.Begin(i)
}

// AgainNext is Again, but the branch goes to the front of the queue. If the first step of each
// branch calls it for the next branch, the branches begin one after the other, as if all of them
// had begun with the fork.
func (f *Frame) AgainNext(i int) {
	f.fork.live++
	f.fiber.run.ready.unshift(f.fork.start(i))
}

// HasEnded reports whether branch i has ended, or has never begun.
func (k *Fork) HasEnded(i int) bool { return k.Branch(i).fiber.mode == ended }

// Forks reports whether branches may begin at the current step: it has forked, isn't being left, and its fork isn't decided.
func (f *Frame) Forks() bool {
	return f.fork != nil && f.fiber.mode == running && !f.fiber.frozen && !f.fork.decided
}

// Add makes another branch, an idle one, while k is in use, and returns its number. The existing branches don't move.
// The next use of k begins with the branches of Grow alone, but keeps the memory of the added ones.
func (k *Fork) Add() int {
	n := len(k.later)
	if n == cap(k.later) || k.later[:n+1][n] == nil {
		k.extend()
	}
	k.later = k.later[:n+1] // later calls use the other branches that extend has made
	return k.count() - 1
}

// chunk is the largest number of branches that Add makes at once.
const chunk = 64

func (k *Fork) extend() {
	more := make([]Branch, min(max(k.count(), 1), chunk))
	for i := range more {
		k.later = append(k.later, &more[i])
	}
}

// hasTaken reports whether s is a lane that has taken something and has entered the steps for it, of
// which none has begun.
func (s *Fiber) hasTaken() bool {
	f := s.top
	return f != nil && f.outer != nil && f.outer.level.Lane && f.pc == 0 && f.bits&begun == 0
}
