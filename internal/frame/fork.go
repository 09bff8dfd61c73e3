package frame

// Branch is the memory of one strand of a fork and of its outermost level.
type Branch struct {
	strand Strand
	root   Frame
}

// Init prepares a branch embedded in an op of inst.
func (b *Branch) Init(inst *Instance, level *Level) { b.root.Init(inst, level) }

// Hide keeps the number of the branch's outermost level out of paths.
func (b *Branch) Hide() { b.root.Hide() }

// Lane hides the branch's outermost level, which is plumbing altogether.
func (b *Branch) Lane() {
	b.root.Hide()
	b.root.lane = true
}

// Fork is the state of a step that holds parallel branches (P1–P3). It is
// embedded in the op.
type Fork struct {
	Branches []Branch

	owner *Strand
	live  int // branches that haven't ended
	next  int // first branch that teardown hasn't looked at
	walk  int // cursor of doom
}

// Fork starts every branch of k, in order, each on its own strand. The current
// step is resumed when all have ended with success; without branches at once.
func (f *Frame) Fork(k *Fork) Verdict {
	s, r := f.strand, f.strand.run
	k.owner = s
	k.live = len(k.Branches)
	k.next = 0
	f.fork = k
	for i := range k.Branches {
		b := &k.Branches[i]
		b.strand.parent = s
		b.strand.fork = k
		b.strand.index = int32(i)
		b.strand.doomed = false
		b.strand.start(r, &b.root)
		r.ready.push(&b.strand)
	}
	return Forked
}

// first is the first branch that is still alive.
func (k *Fork) first() *Strand {
	for ; k.next < len(k.Branches); k.next++ {
		if s := &k.Branches[k.next].strand; s.mode != ended {
			return s
		}
	}
	return nil
}

// doom freezes every strand that descends from s: it leaves the ready queue,
// what it waits for can no longer complete it, and goroutines it waits for are
// told to stop. The hooks run later, in order, as each is dropped (C1).
func (r *Run) doom(s *Strand, cause error) {
	if s.top == nil || s.top.fork == nil {
		return
	}
	s.top.fork.walk = 0
	for t := s; ; {
		k := t.top.fork
		if k != nil && k.walk < len(k.Branches) {
			b := &k.Branches[k.walk].strand
			k.walk++
			if b.mode == ended || b.doomed {
				continue
			}
			b.doomed = true
			r.ready.remove(b)
			if b.top.slot != nil {
				b.top.slot.seal(cause)
			}
			if b.top.fork != nil {
				b.top.fork.walk = 0
				t = b
			}
			continue
		}
		if t == s {
			return
		}
		t = t.parent
	}
}
