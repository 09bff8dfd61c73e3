package explore

// none stands for no index.
const none = -1

// point is where a schedule decides something. In a trial that is reduced an event happens at some points: the trial takes a
// callback of the loop or does an action. These points are recorded even if there is only one way to go on.
type point struct {
	first     int // number of its first question
	callbacks int // number of callbacks to choose from, of an event
	others    int // number of other ways: the actions, or all answers if no event happens
	at        int // the way taken: a callback or, after these, one of the others

	state string // the state that the test has told, or ""
	lapse string // the state after the way numbered ways()-1, if that only lets time pass and the test tells the difference; otherwise ""

	parts   []int // of each way; nil if no event happens
	epoch   int
	moves   bool // a callback moves the time though actions are left
	notes   bool // the event has noted something
	depends bool // the event depends on all others
}

func (p *point) ways() int { return p.callbacks + p.others }

// answers returns the answers that take a way: whether to take a callback, and which one, or which of the others.
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

// happen is step for a trial with parts.
func (x *Trial) happen(actions []Action) {
	parts, moves := x.apart.Next(nil)
	p := point{first: len(x.taken), callbacks: len(parts), others: len(actions), moves: moves && len(actions) > 0}
	if moves && !p.moves {
		x.epoch++ // no event of the epoch before can come any more
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

// way asks which way p goes, and returns its number: 0 for a callback, if there are any; the others are numbered behind the
// callbacks.
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

// pick answers the loop: which callback goes next, or which fiber of a run.
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
