package wasm

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
)

type variable struct{ value, data, cleanup uint32 }

func (i *instance) dropVariable(v *variable) {
	i.drop()
	if v.cleanup == 0 || v.value == 0 || i.dead != nil {
		return
	}
	if err := i.callback(i.here, func() { i.must(i.guest(opTwo, v.cleanup, v.data, v.value, 0)) }); err != nil {
		i.tool.Host().Report(err)
	}
}

const errorInfo = "error_info"

// stateVariable returns the value of a variable, which allocate makes if there is none.
func (p *peer) stateVariable(data, name, allocate, cleanup uint32) uint32 {
	i := p.in
	if name == 0 {
		p.misuse(2)
		return 0
	}
	key := i.text(name)
	inside := i.turns > 0 && p.phase != void
	idle := p.root != nil && p.phase != void && !p.root.run.Live()
	if !p.runs() && !inside {
		if p.root != nil && p.phase != void {
			if v := p.root.vars[key]; v != nil {
				return v.value
			}
		}
		if !idle {
			p.misuse(2)
			return i.astray(p, data, allocate, cleanup)
		}
	}
	if key == errorInfo {
		return i.infoOf(p)
	}
	if frame.Reserved(key) {
		return 0
	}
	return i.variable(p, key, data, allocate, cleanup)
}

// variable finds or makes a variable of the root, or of the run that the instance serves.
func (i *instance) variable(p *peer, key string, data, allocate, cleanup uint32) uint32 {
	vars, r := &i.vars, p.keeper()
	if r != nil {
		vars = &r.vars
	}
	if v := (*vars)[key]; v != nil {
		return v.value
	}
	if allocate == 0 {
		return 0
	}
	value := i.must(i.guest(opMake, allocate, data, 0, 0))
	if value == 0 {
		return 0
	}
	v := &variable{value, data, cleanup}
	i.hold()
	if r != nil && r.left() { // allocate has freed the root, or a cleanup of the root makes this call
		p.stack = append(p.stack, block{stray: v})
		return value
	}
	if first := (*vars)[key]; first != nil { // allocate has made the variable meanwhile
		i.dropVariable(v)
		return first.value
	}
	if *vars == nil {
		*vars = make(map[string]*variable)
	}
	(*vars)[key] = v
	return value
}

// astray makes a variable that has no run. It lives as long as the memory of the pointer's function stack.
func (i *instance) astray(p *peer, data, allocate, cleanup uint32) uint32 {
	if allocate == 0 {
		return 0
	}
	value := i.must(i.guest(opMake, allocate, data, 0, 0))
	i.hold()
	p.stack = append(p.stack, block{stray: &variable{value, data, cleanup}})
	return value
}

func (i *instance) infoOf(p *peer) uint32 {
	info := ""
	if vars := p.state(); vars != nil {
		if found, ok := vars.Get(errorInfo); ok {
			info, _ = found.(string)
		}
	}
	return i.setInfo(info)
}

func (i *instance) setInfo(info string) uint32 {
	if i.info != 0 {
		old := i.info
		i.info = 0
		if i.dead == nil {
			i.release(old)
		}
	}
	if info != "" {
		i.info = i.lend(info)
	}
	return i.info
}
