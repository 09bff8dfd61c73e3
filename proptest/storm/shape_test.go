package storm_test

// shapeKinds are plans of several combinators that are seldom drawn together, with fitting numbers. Their nodes are of other
// kinds, so they are printed and simplified like others.
func shapeKinds() kinds {
	return kinds{
		{name: "sagas whose undos wait for a gate", weight: 4, least: 1, leaves: true, shape: crowd},
		{name: "a race with a Linger in a Linger", weight: 4, least: 1, leaves: true, shape: losers},
		{name: "a ring of gates", weight: 4, least: 1, leaves: true, shape: ring},
	}
}

// crowd draws sagas side by side. When all are left, undos of some may need a gate that others are in.
func crowd(d *draws) *node {
	at := []int{0, 3, 8}[d.IntN(3)] // gates that have places if nothing is around
	gate := func(kid *node) *node {
		n := d.fixed("syncx.Sync", kid)
		n.n[1] = at
		return n
	}
	undo := d.fixed("flow.Undo", d.plan(0), gate(d.pause()))
	saga := d.fixed("flow.Saga", d.fixed("flow.Chain", undo, gate(d.pause()), d.pause(), d.plan(0)))
	each := d.fixed("flow.ParEach", saga)
	each.n[1] = 0 // all at once
	if d.IntN(2) == 0 {
		return each
	}
	return d.fixed("flow.Timeout", each)
}

// losers draws a race that is decided when steps deep inside of it are about to begin.
func losers(d *draws) *node {
	first, second := d.pause(), d.pause()
	second.n[1] = first.n[1]
	bodies := d.fixed("flow.Chain", second, d.fixed("step.Func"), d.fixed("step.Func"), d.plan(1))
	race := d.fixed([]string{"flow.First", "flow.Race"}[d.IntN(2)], first, d.lingering(d.lingering(bodies)))
	race.n[3] = 0 // its end is noted
	return d.fixed("flow.Then", race, d.pause())
}

func (d *draws) lingering(kid *node) *node {
	if d.IntN(3) == 0 {
		kid = d.fixed("flow.Par", kid, d.plan(0))
	}
	return d.fixed("flow.Linger", kid)
}

// ring draws two flows, each in one gate and wanting the other's, in a scene with rings.
func ring(d *draws) *node {
	far := func(kid *node) *node {
		switch d.IntN(4) {
		case 0:
			return d.fixed("flow.Linger", d.fixed("flow.On", kid))
		case 1:
			return d.fixed("flow.Linger", kid)
		case 2:
			return d.fixed("flow.First", kid)
		default:
			return d.fixed("flow.Race", d.fixed("flow.On", kid))
		}
	}
	gate := func(i int, kid *node) *node {
		n := d.fixed("syncx.Sync", kid)
		n.n[1] = 1 + 4*i
		return n
	}
	branch := func(i int) *node {
		return gate(i, d.fixed("flow.Then", d.pause(), far(gate(1-i, d.pause()))))
	}
	return d.fixed("flow.Par", branch(0), branch(1))
}

func (d *draws) pause() *node { return d.fixed("step.Delay") }

func (d *draws) fixed(name string, kids ...*node) *node {
	n := d.alone(planKinds.named(name))
	n.kids = kids
	return n
}
