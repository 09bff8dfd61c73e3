package frame

// Only this file assigns Fiber.mode, Frame.bits, Frame.pc and, except for the first value, which Init sets, Frame.epoch.
// The legal moves are in doc.go.

// mode tells whether a fiber executes, unwinds or has ended.
type mode uint8

const (
	ended    mode = iota // has no step to execute or to leave; the zero Fiber
	running              // executing steps, or waiting with one
	raising              // an error is on its way outwards, handlers are asked
	dropping             // being cancelled down to stop, handlers aren't asked
)

// enter makes f the innermost level of s, before its first step.
func (f *Frame) enter(s *Fiber) {
	f.fiber, s.top = s, f
	f.pc = 0
	f.bits = 0
}

func (f *Frame) begin() { f.bits = begun }

// done moves past the current step, which has nothing installed any more.
func (f *Frame) done() {
	f.bits = 0
	f.epoch++
	f.pc++
}

func (f *Frame) spend() { f.bits |= handled }

func (f *Frame) mark(b bits) { f.bits |= b }

func (f *Frame) unmark(b bits) { f.bits &^= b }

// forgive clears the mark of a broken rule, which has been handled.
func (f *Frame) forgive() { f.unmark(violated) }

func (s *Fiber) leave() {
	f := s.top
	f.bits = 0
	f.epoch++
	s.top = f.outer
}

// start makes s, a branch, ready to execute the level root.
func (s *Fiber) start(r *Run, root *Frame) {
	s.run = r
	s.mode = running
	s.won = false
	root.outer = nil
	root.enter(s)
	root.stand(s.fork.holder.top)
}

// restart makes s, the main fiber of a run, ready to execute the level root. makeRun has connected root with s, and the caller
// sets s.top.
func (s *Fiber) restart(root *Frame) {
	s.mode = running
	root.pc = 0
	root.bits = 0
}

func (s *Fiber) wake() {
	s.resume = true
}

// raise makes s, which has its unwinding, raise err from its innermost level outwards.
func (s *Fiber) raise(err error) {
	s.mode = raising
	s.err = err
	s.jump = nil
	s.graced.known = false
}

func (s *Fiber) raiseJump(g *Jump) {
	s.raise(errLeft)
	s.jump = g
}

// drop begins to cancel s, which has its unwinding: s leaves levels until stop is its innermost one, or all levels if stop is
// nil.
func (s *Fiber) drop(stop *Frame) {
	s.mode = dropping
	s.resume = false
	s.stop, s.evicted, s.graced.known = stop, false, false
	s.jump = nil
}

// arrive ends dropping at stop: from here on the error is an ordinary one.
func (s *Fiber) arrive() {
	s.mode = raising
	s.stop = nil
}

// recovered lets s go on after a handler, or at the loop of a jump.
func (s *Fiber) recovered() {
	s.mode = running
	s.err = nil
	s.jump = nil
}

// win makes s, a branch whose last step has succeeded, depart with success: it has no levels
// to leave.
func (s *Fiber) win() {
	s.top = nil
	s.unwinds()
	s.drop(nil)
	s.won = true
}

func (s *Fiber) end() {
	s.mode = ended
	s.resume = false
	s.comesBack()
	if s.unwinding != nil {
		s.jump = nil
	}
}
