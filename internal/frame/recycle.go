package frame

import "maps"

// makeRun makes the run that executes inst, each time that inst is the root of one.
func makeRun(inst *Activation) *Run {
	r := &Run{root: inst}
	r.main.run, inst.root.fiber = r, &r.main
	inst.run = r
	r.here.Init(r)
	r.registration.Stop = func(cause error) { r.Cancel(cause) }
	return r
}

// Recycle gives the memory of an ended run back. The caller has taken the
// result; every handle to the run is void from here on.
func (r *Run) Recycle() {
	used := r.gen.Add(1)
	inst := r.root
	r.spare, r.ctx, r.owner, r.cur, r.next = nil, nil, nil, nil, nil
	if u := r.main.unwinding; u != nil {
		u.err = nil
		if u.trace != nil {
			u.trace.shrink()
		}
	}
	if k := r.record; k != nil {
		if k.lent {
			k.vars = maps.Clone(k.vars) // a part that was left behind may use the other one
		}
		k.vars.clear()
		*k = record{vars: k.vars}
	}
	if r.posts != nil {
		r.posts.request, r.posts.late = nil, nil
	}
	if r.due != nil {
		r.due.clear()
	}
	if r.tool != nil {
		r.leave()
	}
	r.life = life{}
	if used >= retired {
		inst.run = nil
	}
	inst.clear()
	if inst.memory != nil {
		inst.memory.roots.Put(inst) // the last: from here on another run may use both
	}
}
