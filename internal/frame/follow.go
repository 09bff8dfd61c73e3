package frame

// Follower decides when the branches of a [Fork] begin. It is the op that forks.
type Follower interface {
	// Follow begins, with Begin, the branches that the success of branch i allows to
	// begin, in a race its failure; i is -1 when f has just forked. It must call no code of the user's.
	Follow(f *Frame, i int)
}

// Begin begins branch i of the current step's fork, for its Follower. The branch must have been
// given its level, with Call or Enter.
func (f *Frame) Begin(i int) { f.fiber.run.begin(f.fork, i) }

// Follower returns the Follower of the fork that f's branch belongs to. It may differ from the
// Op of the Forker, because a handler around the step is an op too.
func (f *Frame) Follower() Follower { return f.fiber.fork.Follower }

// follow tells the Follower of k, if there is one, that branch i has ended.
func (k *Fork) follow(i int) {
	if k.Follower != nil && k.owner.mode == running {
		k.Follower.Follow(k.owner.top, i)
	}
}
