package explore

// none stands for no index.
const none = -1

// point is a place where a schedule decides something. In a reduced trial some points are events: there the trial takes a callback
// of the loop or does an action. Events are recorded even if there is only one way to go on.
type point struct {
	first     int // number of its first question
	callbacks int // of an event: the number of callbacks to choose from
	others    int // number of other ways: of an event the actions, otherwise all answers
	at        int // the way taken: callbacks are numbered first, then the others

	state string // by the function of State, or ""
	lapse string // the state after the last way, if this way only lets time pass and the state shows that; otherwise ""

	parts   []int // the part of each way; nil if the point is no event
	epoch   int
	moves   bool // taking a callback moves the time though actions are left
	notes   bool // the event has noted something
	depends bool // the event depends on all others
}

func (p *point) ways() int { return p.callbacks + p.others }

// answers returns the answers by which a trial takes a way: whether to take a callback, and which one, or which of the others.
func (p *point) answers(way int) (s Schedule) {
	switch {
	case p.callbacks == 0 && p.others > 1:
		return Schedule{way}
	case p.callbacks == 0:
		return nil
	case way >= p.callbacks:
		return Schedule{way - p.callbacks + 1}
	}
	if p.others > 0 {
		s = append(s, 0)
	}
	if p.callbacks > 1 {
		s = append(s, way)
	}
	return s
}

// part returns the part of the event, or 0 if it depends on all others.
func (p *point) part() int {
	if p.depends {
		return 0
	}
	return p.parts[p.at]
}

// lapses reports whether the event has moved the time though actions were left.
func (p *point) lapses() bool { return p.moves && p.at < p.callbacks }

// conflicts reports whether the order of two events may matter.
func (p *point) conflicts(q *point) bool {
	a, b := p.part(), q.part()
	return a == b || a == 0 || b == 0 || p.notes && q.notes
}

// happen is step for a reduced trial.
func (x *Trial) happen(actions []Action) {
	parts, moves := x.apart.Next(nil)
	p := point{first: len(x.taken), callbacks: len(parts), others: len(actions), moves: moves && len(actions) > 0}
	if moves && !p.moves {
		x.epoch++ // no event of the former epoch can come any more
	}
	p.epoch, p.parts = x.epoch, parts
	for _, a := range actions {
		p.parts = append(p.parts, x.part(a.Part))
	}
	i := len(x.points)
	x.points = append(x.points, p)
	x.event = i
	shared := x.apart.Shared()
	if way := x.way(&p); way < p.callbacks {
		x.picks = p.callbacks > 1
		x.loop.Step()
	} else {
		x.points[i].at = way
		x.do(actions[way-p.callbacks])
	}
	x.event = none
	if x.apart.Shared() != shared {
		x.points[i].depends = true
	}
	if x.points[i].lapses() {
		x.epoch++
	}
}

// way asks which way to go at p, and returns its number. If there are callbacks, 0 stands for all of them, and pick asks which one
// to take; the other ways are numbered after the callbacks.
func (x *Trial) way(p *point) int {
	switch {
	case p.callbacks == 0:
		return x.ask(question{n: p.others})
	case p.others == 0:
		return 0
	}
	if answer := x.ask(question{n: 1 + p.others, of: whether}); answer > 0 {
		return p.callbacks + answer - 1
	}
	return 0
}

// pick answers the loop's question which callback goes next, or which fiber of a run.
func (x *Trial) pick(n int) int {
	q := question{n: n}
	if x.apart.Asked(0) != 0 {
		q.of, q.keys = callbacks, x.apart.Asked
	}
	if !x.picks {
		return x.choose(q)
	}
	x.picks = false
	answer := x.ask(q)
	x.points[x.event].at = answer
	return answer
}
