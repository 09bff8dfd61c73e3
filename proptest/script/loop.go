package script

import (
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// Loop adds a loop that runs until a break.
type Loop struct {
	ID    int     `json:"id"`
	Label *string `json:"label,omitempty"`
	Do    Actions `json:"do"`
}

func (a *Loop) check(k *checker) {
	k.within("loop", building)
	k.id(a.ID)
	k.list(inBody, a.Do)
}

func (a *Loop) run(c *call) {
	x, where := c.x, c.where
	c.add(step.New(func(as step.Scope, _ Args) step.Next[Args] {
		index := -1 // loopx.Loop doesn't count iterations
		body := step.New(func(as step.Scope, _ none) step.Next[none] {
			index++
			return x.turn(as, where, a.ID, index, nil, a.Do, "iter", index)
		})
		return step.Into(as, looped(x, a.Label, loopx.Loop(body)), nil)
	}))
}

// Repeat adds a loop of Count iterations.
type Repeat struct {
	ID    int     `json:"id"`
	Count int     `json:"count"`
	Label *string `json:"label,omitempty"`
	Do    Actions `json:"do"`
}

func (a *Repeat) check(k *checker) {
	k.within("repeat", building)
	k.need(a.Count >= 0, "repeat has a negative count")
	k.id(a.ID)
	k.list(inBody, a.Do)
}

func (a *Repeat) run(c *call) {
	x, where := c.x, c.where
	c.add(looped(x, a.Label, loopx.Repeat(a.Count, step.New(func(as step.Scope, t loopx.Iteration[none]) step.Next[none] {
		return x.turn(as, where, a.ID, t.Index, Args{{t.Index}}, a.Do, "iter", t.Index)
	}))))
}

// ForEach adds a loop over a list or a map.
type ForEach struct {
	ID    int     `json:"id"`
	List  []Value `json:"list,omitzero"`
	Map   []Pair  `json:"map,omitzero"` // in ascending order of the keys
	Label *string `json:"label,omitempty"`
	Do    Actions `json:"do"`
}

func (a *ForEach) check(k *checker) {
	k.within("forEach", building)
	k.need((a.List == nil) != (a.Map == nil), "forEach needs either a list or a map")
	for i := 1; i < len(a.Map); i++ {
		k.need(a.Map[i-1].Key < a.Map[i].Key, "the keys of a map aren't ascending")
	}
	k.id(a.ID)
	k.list(inBody, a.Do)
}

func (a *ForEach) run(c *call) {
	x, where := c.x, c.where
	if a.Map == nil {
		each := loopx.Each(step.New(func(as step.Scope, it loopx.Item[int, Value, none]) step.Next[none] {
			return x.turn(as, where, a.ID, it.Key, Args{{it.Key}, it.Value}, a.Do, "each", it.Key, it.Value)
		}))
		c.add(flow.Then(step.Map(func(Args) []Value { return a.List }), flow.Then(named(x, a.Label, each), step.Map(drop[none]))))
		return
	}
	elements := make(map[string]Pair, len(a.Map))
	for i, p := range a.Map {
		p.index = i
		elements[p.Key] = p
	}
	each := loopx.EachMap(step.New(func(as step.Scope, it loopx.Item[string, Pair, none]) step.Next[none] {
		p := it.Value
		return x.turn(as, where, a.ID, p.index, Args{{p.Key}, p.Value}, a.Do, "each", p.Key, p.Value)
	}))
	c.add(flow.Then(step.Map(func(Args) map[string]Pair { return elements }), flow.Then(named(x, a.Label, each), step.Map(drop[none]))))
}

// looped makes a stage of a loop. The stage drops its arguments and has no result.
func looped(x *execution, label *string, loop step.Step[none, none]) stage {
	return flow.Then(step.Map(func(Args) none { return none{} }), flow.Then(named(x, label, loop), step.Map(drop[none])))
}

func named[In any](x *execution, label *string, loop step.Step[In, none]) step.Step[In, none] {
	if label == nil {
		return loop
	}
	return loopx.Labelled(x.label(*label), loop)
}

// turn runs one iteration of a loop. The body of a loop is like that of a step, but its result is dropped.
func (x *execution) turn(as step.Scope, where scene, id, index int, args Args, do Actions, event string, what ...any) step.Next[none] {
	where = where.of(as)
	where.turns = &turn{loop: id, index: index, outer: where.turns}
	body := step.New(func(as step.Scope, args Args) step.Next[Args] {
		c := &call{x: x, where: where, as: as, in: inBody, id: id, args: args}
		c.event(event, append([]any{id}, what...)...)
		c.do(do)
		return c.next()
	})
	return step.Into(as, flow.Then(body, step.Map(func(Args) none { return none{} })), args)
}
