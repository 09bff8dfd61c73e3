package script

import "github.com/futoin-go/asyncsteps/flow"

// CopyFrom adds the steps and the state of a model. With Fresh the model is built for this copy alone. Copies without Fresh share
// a model that is built once.
type CopyFrom struct {
	Model string `json:"model"`
	Fresh bool   `json:"fresh,omitempty"`
}

func (a *CopyFrom) check(k *checker) {
	k.within("copyFrom", building)
	_, known := k.program.Models[a.Model]
	k.need(known, "no such model: "+a.Model)
}

func (a *CopyFrom) run(c *call) {
	m := c.x.model(a.Model)
	if a.Fresh {
		m = c.x.build(a.Model, c.where)
	}
	// flow.CopyFrom sets the variables when its steps begin. The dynamic API sets them immediately.
	for key, v := range m.State {
		c.preset(key, v)
	}
	c.add(flow.CopyFrom(m))
}

// preset sets a variable of the flow that isn't set yet.
func (c *call) preset(key string, v any) {
	if c.in == inSetup {
		if _, there := c.state[key]; !there {
			c.state[key] = v
		}
		return
	}
	if _, there := c.as.State().Get(key); !there {
		c.as.State().Set(key, v)
	}
}

// model returns the shared model with the given name. It builds the model for the first copy.
func (x *execution) model(name string) flow.Model[Args, Args] {
	m, ok := x.models[name]
	if !ok {
		m = x.build(name, scene{})
		x.models[name] = m
	}
	return m
}

func (x *execution) build(name string, where scene) flow.Model[Args, Args] {
	described := x.program.Models[name]
	c := &call{x: x, where: where, in: inSetup, state: unwrap(described.State)}
	c.do(described.Do)
	return flow.Model[Args, Args]{Steps: flow.Chain(c.steps...), State: c.state}
}

func unwrap(values map[string]Value) map[string]any {
	m := make(map[string]any, len(values))
	for key, v := range values {
		m[key] = v.X
	}
	return m
}

// Spawn starts a root as a flow of its own.
type Spawn struct {
	Root int `json:"root"`
}

func (a *Spawn) check(k *checker) {
	k.within("spawn", running)
	known := a.Root >= 0 && a.Root < len(k.program.Roots)
	k.need(known && k.program.Roots[a.Root].Spawn, "spawn of a root that isn't there for it")
}

func (a *Spawn) run(c *call) { c.x.start(a.Root, c.x.plan(a.Root)) }
