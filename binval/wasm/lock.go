package wasm

import (
	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/internal/envoy"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
)

// holder identifies a flow of the guest in a guard.
type holder struct {
	flow  uintptr
	guard any // the key of the guard, which several FutoInSync* may stand for
}

// hold is a guard that a flow of the guest has entered by calling lock, or waits to enter.
type hold struct {
	in      *instance
	holder  holder
	envoy   *envoy.Envoy
	entries int // how many calls of lock count as objects

	// These fields are about the last call of lock.
	asking   bool // the step that has called lock doesn't know the answer yet
	answered bool
	err      error
	done     dyn.Done // completes the sub-step that waits for the answer; zero before it waits
}

// lock enters a guard for the flow of a step. If the guard isn't entered at once, lock adds sub-steps: the first one waits for the guard,
// or fails.
func lock(p *peer, a []uint32) uint32 {
	i := p.in
	if p.phase != executing {
		p.forbid("lock")
		return 0
	}
	_, l := i.findSync(a[1])
	if l == nil {
		p.step.Fail(errNoSync)
		return 0
	}
	h := i.holds[holder{p.flow, l.guard.Key}]
	if h != nil && h.asking {
		p.forbid("lock")
		return 0
	}
	i.hold()
	if h == nil {
		h = i.newHold(p.flow, l)
	}
	h.entries++
	h.asking, h.answered, h.err, h.done = true, false, nil, dyn.Done{}
	h.envoy.Enter(h.answer)
	if h.answered && h.err == nil {
		h.asking = false
		return 0
	}
	p.stack = append(p.stack, block{asks: h})
	for _, body := range []dyn.Body{(*waitOfLock)(h), (*endOfLock)(h)} {
		i.hold()
		p.added++
		p.step.Add(body, dyn.Code{})
	}
	return 0
}

func (i *instance) newHold(flow uintptr, l *latch) *hold {
	h := &hold{in: i, holder: holder{flow, l.guard.Key}}
	h.envoy = envoy.New(i.tool, l.guard, nil, h.ended)
	if i.holds == nil {
		i.holds = make(map[holder]*hold)
	}
	i.holds[h.holder] = h
	return h
}

// ended is called when the flow isn't inside of the guard any more, and doesn't wait for it.
func (h *hold) ended() {
	delete(h.in.holds, h.holder)
	h.in.objects -= h.entries
	h.entries = 0
}

// answer passes the answer of the guard on to the step that has called lock last.
func (h *hold) answer(err error) {
	h.answered, h.err = true, err
	if err == nil && !h.asking { // unlocked before the answer
		h.uncount()
		h.done.Fail(fault.Cancelled)
		return
	}
	if err == nil {
		var none binval.Args
		h.done.Success(&none)
		return
	}
	h.uncount()
	if h.done.Fail(err) {
		h.asking = false
	}
}

func (h *hold) uncount() {
	if h.entries > 0 {
		h.entries--
		h.in.drop()
	}
}

func (h *hold) leave() {
	refused := h.asking && h.err != nil
	h.asking = false
	if refused {
		return
	}
	if h.answered {
		h.uncount()
	}
	h.envoy.Leave()
}

// forsaken undoes a lock whose step has ended before it got the answer.
func (h *hold) forsaken() {
	if h.asking {
		h.leave()
	}
}

// unlock leaves a guard, or ends the wait for it. If the flow isn't inside and doesn't wait, it does nothing.
func unlock(p *peer, a []uint32) uint32 {
	if _, l := p.in.findSync(a[1]); l != nil {
		if h := p.in.holds[holder{p.flow, l.guard.Key}]; h != nil {
			h.leave()
		}
	}
	return 0
}

func (i *instance) unlockAll() {
	for _, h := range i.holds {
		h.envoy.Close()
	}
}

// The sub-steps that lock adds to a step that hasn't entered at once.
type (
	waitOfLock hold
	endOfLock  hold
)

func (b *waitOfLock) Exec(s *dyn.Step, _ *binval.Args) {
	switch h := (*hold)(b); {
	case h.err != nil:
		h.asking = false
		s.Fail(h.err)
	case !h.asking:
		s.Fail(fault.Cancelled) // unlock was called before the step began
	case !h.answered:
		s.Wait()
		h.done = s.Done()
	}
}

// Exec runs when the step is inside of the guard.
func (b *endOfLock) Exec(*dyn.Step, *binval.Args) { b.asking = false }

func (*waitOfLock) Catch(*dyn.Step, error) bool { return false }
func (*endOfLock) Catch(*dyn.Step, error) bool  { return false }
