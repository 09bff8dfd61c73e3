package frame

// Label names a loop; its address is its identity.
type Label struct{ Name string }

// Signal leaves a turn of a loop. It travels as the error of a step does, but
// no handler sees it (L1).
type Signal struct {
	Label *Label // nil: the nearest loop
	Again bool   // continue with the next turn; otherwise break
	Value any    // what the loop carries on; only if Given
	Given bool
}

// Error makes a Signal travel. Somebody sees it only as the cause of a context
// that ends because its step is left.
func (g *Signal) Error() string {
	what := "break"
	if g.Again {
		what = "continue"
	}
	if g.Label != nil {
		return what + " " + g.Label.Name
	}
	return what
}

// aim finds the loop that g leaves or continues, looking outwards from the
// innermost level of s, through the strands it descends from (L1, P5).
func (s *Strand) aim(g *Signal) *Frame {
	for ; s != nil; s = s.parent {
		for f := s.top; f != nil; f = f.parent {
			// A loop whose handler has taken over is no loop any more.
			if f.bits&(begun|handled) == begun && f.level.Ops[f.pc].Loops(g) {
				return f
			}
		}
	}
	return nil
}

// send makes s, which is raising g, a strand that leaves levels until it
// reaches the loop; without such a loop it raises an error instead (L3).
func (r *Run) send(s *Strand, g *Signal) {
	if s.target = s.aim(g); s.target != nil {
		return
	}
	rule := "asks for " + g.Error() + ", but is in no loop"
	if g.Label != nil {
		rule += " of that label"
	}
	s.err = violation(s.top, rule)
	r.met().last = s.err
	r.tell(Raised, s.top, s.err)
}

// reach hands the signal to the loop.
func (r *Run) reach(s *Strand) {
	f := s.top
	s.target = nil
	f.signal, _ = s.err.(*Signal)
	for _, err := range s.trace.secondary {
		r.Tool().Host().Report(err) // there is no error it could be joined to
	}
	s.trace.clear()
	s.recovered()
	s.wake()
	r.front = s
}

// Signal takes the signal that made the machine resume the current step, a
// loop; nil if its body has ended normally.
func (f *Frame) Signal() *Signal {
	g := f.signal
	f.signal = nil
	return g
}
