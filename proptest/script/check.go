package script

import "slices"

// callback is the kind of callback that an action stands in.
type callback uint8

const (
	inSetup   callback = 1 << iota // the setup of a root or model, before it runs
	inBody                         // the body of a step, branch or loop
	inHandler                      // an error handler
	inHook                         // a cancel hook

	running  = inBody | inHandler
	building = inSetup | running
	anywhere = running | inHook
)

// checker walks a program and keeps its first mistake.
type checker struct {
	program *Program
	in      callback
	ids     map[int]bool
	err     error
}

func (p *Program) check() error {
	if p.Version != 1 {
		return malformed("version %d, want 1", p.Version)
	}
	k := &checker{program: p, ids: make(map[int]bool)}
	for name, g := range p.Sync {
		k.guard(name, g)
	}
	for name, m := range p.Models {
		k.list(inSetup, m.Do)
		k.cycle(name, nil)
	}
	for _, r := range p.Roots {
		k.need(r.At >= 0 && (r.Cancel == nil || *r.Cancel >= 0), "a root's time is negative")
		k.need(r.Via == "" || r.Via == "execute" || r.Via == "promise", "no such via: "+r.Via)
		k.list(inSetup, r.Do)
	}
	return k.err
}

func (k *checker) need(ok bool, problem string) {
	if !ok && k.err == nil {
		k.err = malformed("%s", problem)
	}
}

func (k *checker) within(op string, callbacks callback) {
	k.need(k.in&callbacks != 0, op+" stands where it can't be done")
}

func (k *checker) list(in callback, actions Actions) {
	before := k.in
	k.in = in
	for _, a := range actions {
		a.check(k)
	}
	k.in = before
}

func (k *checker) step(s *Step) {
	if s == nil {
		k.need(false, "a step is missing")
		return
	}
	k.id(s.ID)
	k.list(inBody, s.Do)
	k.handler(s.Catch)
}

func (k *checker) handler(actions *Actions) {
	if actions != nil {
		k.list(inHandler, *actions)
	}
}

func (k *checker) id(id int) {
	k.need(!k.ids[id], "an id is used twice")
	k.ids[id] = true
}

func (k *checker) args(a Args) {
	k.need(len(a) == 0 || a[len(a)-1].X != nil, "the last argument is null")
}

func (k *checker) guard(name string, g Guard) {
	ok := false
	switch g.Type {
	case "mutex":
		ok = g.Max > 0
	case "throttle":
		ok = g.Max > 0 && g.Period > 0
	case "limiter":
		ok = g.Concurrent > 0 && g.Rate > 0 && g.Period > 0 && g.Burst >= 0
	}
	k.need(ok, "a bad sync object: "+name)
}

// cycle records a problem if the setup of the model name copies that model, directly or through other models. seen are the models
// that have led to it.
func (k *checker) cycle(name string, seen []string) {
	if slices.Contains(seen, name) {
		k.need(false, "a model copies itself: "+name)
		return
	}
	for _, a := range k.program.Models[name].Do {
		if c, ok := a.(*CopyFrom); ok {
			k.cycle(c.Model, append(seen, name))
		}
	}
}
