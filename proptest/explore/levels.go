package explore

// levels goes through the schedules by their number of delays, beginning with the plain one. So a failure is found under as few
// delays as possible, and each state is first seen when as many delays as possible are left. levels doesn't leave out orders of
// parts, because it isn't known which of several equivalent orders has the fewest delays.
type levels struct {
	delays int
	queue  []*leaving
	from   int // the question at which the last schedule departs from an earlier one; none for the plain schedule
	states states
	passed map[string]struct{} // the states in Trial.passed of all trials so far
}

// leaving is a trial from whose points later schedules depart.
type leaving struct {
	of     *Trial // a copy with only the answers and the fields that agree compares
	points []point
	way    int // the way that was tried last at points[0]
}

// next returns the schedule to try after x, or nil.
func (l *levels) next(x *Trial) Schedule {
	l.pass(x)
	if x.taken.Delays() < l.delays {
		l.add(x)
	}
	for len(l.queue) > 0 {
		t := l.queue[0]
		if len(t.points) == 0 {
			l.queue = l.queue[1:]
			continue
		}
		p := &t.points[0]
		if t.way++; t.way < p.ways() {
			if l.saves(p, t.way) {
				continue
			}
			l.from = p.first
			return append(append(Schedule{}, t.of.taken[:p.first]...), p.answers(t.way)...)
		}
		t.points, t.way = t.points[1:], 0
	}
	return nil
}

// add queues the points at which later schedules may depart from x: those after the point at which x departed from an earlier
// trial, unless their states are known.
func (l *levels) add(x *Trial) {
	t := &leaving{of: &Trial{taken: x.taken, sizes: x.sizes, noted: x.noted, notes: x.notes}}
	for i := range x.points {
		if p := &x.points[i]; p.first > l.from && !l.states.know(p, x) {
			t.points = append(t.points, *p)
		}
	}
	l.queue = append(l.queue, t)
}

// pass records the states between the events of x.
func (l *levels) pass(x *Trial) {
	if l.passed == nil {
		l.passed = make(map[string]struct{})
	}
	for _, state := range x.passed {
		l.passed[state] = struct{}{}
	}
}

// saves reports whether a way of p needn't be tried: it only lets time pass, and an earlier trial has gone on from the state that
// follows. The earlier trial has at most as many delays as a trial that takes the way.
func (l *levels) saves(p *point, way int) bool {
	if p.lapse == "" || way != p.ways()-1 {
		return false
	}
	_, seen := l.passed[p.lapse]
	return seen
}

// before returns the trial that the last schedule departs from, and the question at which it does.
func (l *levels) before() (of *Trial, n int) {
	if l.from == none {
		return nil, 0
	}
	return l.queue[0].of, l.from
}
