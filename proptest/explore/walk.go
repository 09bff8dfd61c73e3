package explore

import "slices"

// walk goes through the schedules depth-first. It avoids orders that are equivalent because their events are apart, by dynamic
// partial order reduction with source sets (Abdulla, Aronis, Jonsson and Sagonas 2014). The processes of that algorithm are the
// parts. If a part can go on in several ways, all of these are tried. Where an event that belongs to no part could go on, all ways
// of the point are tried.
type walk struct {
	path   []tried
	last   *Trial
	states states
}

// tried records for a point which ways are to be tried, and which have been.
type tried struct {
	first      int // number of the first question
	todo, done []bool
	known      bool // the other ways are tried at an earlier point with the same state
}

// before returns the trial before the last schedule, and the first question of the point at which the two differ.
func (w *walk) before() (of *Trial, n int) {
	if len(w.path) == 0 {
		return nil, 0
	}
	return w.last, w.path[len(w.path)-1].first
}

// next returns the schedule to try after x, or nil.
func (w *walk) next(x *Trial) Schedule {
	w.last = x
	for i := range x.points {
		p := &x.points[i]
		if i >= len(w.path) {
			w.path = append(w.path, tried{p.first, make([]bool, p.ways()), make([]bool, p.ways()), w.states.know(p, x)})
			w.begin(i, p)
		}
		w.path[i].done[p.at] = true
	}
	if x.mixed {
		for i := range w.path {
			w.all(i)
		}
	} else {
		w.races(x)
	}
	for i := len(w.path) - 1; i >= 0; i-- {
		t := &w.path[i]
		for way, todo := range t.todo {
			if !todo || t.done[way] {
				continue
			}
			w.path = w.path[:i+1]
			return append(append(Schedule{}, x.taken[:t.first]...), x.points[i].answers(way)...)
		}
	}
	return nil
}

func (w *walk) begin(i int, p *point) {
	if p.parts == nil || p.moves || slices.Contains(p.parts, 0) {
		w.all(i)
		return
	}
	w.add(i, p, p.parts[p.at])
}

// all makes the search try each way of a point, unless the point is known.
func (w *walk) all(i int) {
	if w.path[i].known {
		return
	}
	for way := range w.path[i].todo {
		w.path[i].todo[way] = true
	}
}

// add makes the search try the ways of p whose event belongs to the given part.
func (w *walk) add(i int, p *point, part int) {
	for way, of := range p.parts {
		if of == part {
			w.path[i].todo[way] = true
		}
	}
}

// races makes the search reverse the order of each two events of x that conflict and could have happened in the other order.
func (w *walk) races(x *Trial) {
	var events []int // the events of one epoch, as indices in x.points
	for i := range x.points {
		p := &x.points[i]
		if p.parts == nil {
			continue
		}
		if len(events) > 0 && x.points[events[0]].epoch != p.epoch {
			w.racesAmong(x, events)
			events = events[:0]
		}
		if p.depends {
			w.all(i) // the event may have cancelled another one that could have happened in its place
		}
		events = append(events, i)
	}
	w.racesAmong(x, events)
}

// racesAmong is races for the events of one epoch. An event that moves the time though actions are left ends the epoch, and is
// skipped. Actions before it are tried anyway: callbacks are tried before actions, so one schedule leaves all actions until then,
// and at a point that may move the time all ways are tried.
func (w *walk) racesAmong(x *Trial, events []int) {
	before := make([][]bool, len(events)) // before[j][i]: event i must happen before j
	for j := range events {
		q := &x.points[events[j]]
		if q.lapses() {
			return
		}
		before[j] = make([]bool, j)
		for i := j - 1; i >= 0; i-- {
			p := &x.points[events[i]]
			if before[j][i] || !p.conflicts(q) {
				continue
			}
			if p.part() != q.part() || p.part() == 0 {
				w.reverse(x, events, before, i, j)
			}
			before[j][i] = true
			for k, is := range before[i] {
				before[j][k] = before[j][k] || is
			}
		}
	}
}

// reverse makes the search try event j before event i. To that end the search tries, in place of i, the first event between i and
// j that needn't come after i, or j itself.
func (w *walk) reverse(x *Trial, events []int, before [][]bool, i, j int) {
	first := i + 1
	for first < j && before[first][i] {
		first++
	}
	f := &x.points[events[first]]
	w.add(events[i], &x.points[events[i]], f.parts[f.at])
}
