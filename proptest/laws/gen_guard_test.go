package laws_test

// Mutexes are drawn most often, because they lead to deadlocks.
func (g *generator) guard() guardSpec {
	spec := guardSpec{
		kind: []guardKind{gMutex, gThrottle, gLimiter}[g.pick("guard", 4, 2, 2)],
		max:  1 + g.pick("max", 3, 1), queue: g.queue(),
	}
	if spec.times() {
		spec.rate, spec.period, spec.burst = 1+g.pick("rate", 2, 1), g.duration("period"), g.queue()
	}
	return spec
}

func (g *generator) queue() int {
	return []int{-1, 1, 0}[g.pick("may wait", 4, 1, 1)]
}
