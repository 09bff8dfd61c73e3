package frame

// Branch is the memory of one fiber of a fork.
type Branch struct {
	fiber      Fiber
	root       *Frame      // its outermost level
	activation *Activation // that root is the frame of; nil if root is embedded elsewhere
}

// Enter sets the level that the branch begins with.
func (b *Branch) Enter(root *Frame) { b.root, b.activation = root, nil }

// Call sets an activation that the branch begins with, which is given back with the branch.
func (b *Branch) Call(in *Activation) { b.root, b.activation = &in.root, in }

// Index sets the number that paths show for the branch, once it has begun.
func (b *Branch) Index(i int) { b.fiber.index = int32(i) }

// Root is the outermost level of the branch.
func (b *Branch) Root() *Frame { return b.root }

// Fork is the state of a step that holds parallel branches (P1–P3). It is part
// of what the op remembers.
type Fork struct {
	Branches []Branch
	later    []*Branch // branches added by Add; their numbers follow those of Branches
	Follower Follower  // nil if all branches begin at once, or by the Terms
	race
	shielding

	owner    *Fiber
	live     int   // branches that haven't ended
	next     int32 // first branch that hasn't begun to be left
	outgoing int32 // branches that are being left
	walk     int32 // cursor of freeze
}

// Fork starts the branches of k, in order, each on its own fiber; with a Follower
// they start when it says so. The current step is resumed when all have ended with
// success, without branches at once; or when the Terms of k are met and the branches
// that have lost were left.
func (f *Frame) Fork(k *Fork) Verdict {
	s, r := f.fiber, f.fiber.run
	k.owner = s
	s.course = leaving // it arrives anew when its branches have ended: see setAside
	k.begins(s)
	k.live, k.later = len(k.Branches), k.later[:0]
	k.next, k.outgoing = 0, 0
	f.fork = k
	starts := k.lineUp(f)
	if k.Follower != nil {
		k.Follower.Follow(f, -1)
		return Forked
	}
	for i := range starts {
		r.begin(k, i)
	}
	return Forked
}

// begin makes branch i of k ready to go.
func (r *Run) begin(k *Fork, i int) { r.ready.push(k.start(i)) }

// start gives branch i its first step, and returns its fiber.
func (k *Fork) start(i int) *Fiber {
	b := k.Branch(i)
	b.fiber.fork = k
	b.fiber.index = int32(i)
	b.fiber.frozen, b.fiber.outgoing = false, false
	if k.Follower != nil && k.races() {
		k.open.Add(1)
	}
	b.fiber.start(k.owner.run, b.root)
	return &b.fiber
}

// Grow makes room for n branches. It must not be called while a run uses the branches, because
// they move.
func (k *Fork) Grow(n int) {
	if n > cap(k.Branches) {
		k.Branches = make([]Branch, n)
	}
	k.Branches = k.Branches[:n]
}

// Join gives back the activations of branches that have all ended, and drops the reason for which they were to be left.
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

// freeze freezes every fiber that descends from s: it leaves the ready queue, its wait can no
// longer be completed, and its goroutines are told to stop. The hooks run later, in order, as
// each fiber is dropped (C1); a branch that was being left begins again to be left. A shielded fork isn't frozen: it is told that its step is to be
// left (K1).
func (r *Run) freeze(s *Fiber, cause error) {
	if s.top == nil || s.top.fork == nil {
		return
	}
	if k := s.top.fork; k.shields() {
		k.tell(cause)
		return
	}
	s.top.fork.rewind()
	for t := s; ; {
		k := t.top.fork
		if k != nil && int(k.walk) < k.count() {
			b := &k.Branch(int(k.walk)).fiber
			k.walk++
			if b.mode == ended || b.frozen {
				continue
			}
			b.frozen = true
			b.comesBack()
			b.unqueue()
			if b.top == nil {
				continue // an error has left it entirely
			}
			if b.top.wait != nil {
				b.top.wait.seal(cause)
			}
			switch in := b.top.fork; {
			case in == nil:
			case in.shields():
				in.tell(cause)
			default:
				in.rewind()
				t = b
			}
			continue
		}
		if t == s {
			return
		}
		t = t.parent()
	}
}
