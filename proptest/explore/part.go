package explore

import (
	"slices"
	"strings"
)

// Apart calls begin, and declares that what begin queues on the loop, with all that follows from it, is a part of the trial
// that has nothing to do with the other parts: what happens in one part reads no memory that another part writes, and they
// share no run, no guard and no action. Calls with the same name add to one part, and so do actions with that name in
// [Action].Part. What is begun otherwise belongs to no part and may depend on everything.
//
// [All] and [Check] then needn't try both orders of two events of different parts, unless both note something: n runs that are
// apart, with one order each, have one schedule. A complete search finds the same outcomes as without Apart; if the parts
// aren't apart it may miss some. So at its end it also tries some other orders, and one with a new outcome, by its notes or the
// body's error, fails with [ErrNotApart]. Nothing is left out in a trial with [Trial.Slow] or [Trial.Drive], nor in a search with
// a bound of delays. Branches of one run are in the same part.
//
// Apart may be called at any time. An event that begins another part, or draws random numbers of the loop's host, counts as one
// that depends on everything.
func (x *Trial) Apart(name string, begin func()) {
	before := x.apart.Enter(x.part(name))
	defer x.apart.Enter(before)
	x.depends()
	begin()
}

// NotesApart declares that the order of notes of different parts doesn't count: the outcome of a trial is then what each part
// has noted, and two events of different parts that both note something needn't be tried in both orders. Each action notes its
// name, so actions that are apart need NotesApart to have one schedule.
func (x *Trial) NotesApart() {
	x.sorted = true
	x.depends()
}

// reduced reports whether some orders of events needn't be tried.
func (x *Trial) reduced() bool { return len(x.parts) > 0 && !x.mixed }

// part returns the number of the part with the name; 0 for "".
func (x *Trial) part(name string) int {
	if name == "" {
		return 0
	}
	n, ok := x.parts[name]
	if !ok {
		if x.parts == nil {
			x.parts = make(map[string]int)
		}
		n = len(x.parts) + 1
		x.parts[name] = n
	}
	return n
}

// depends makes the current event, if there is one, depend on all others.
func (x *Trial) depends() {
	if x.event != none {
		x.points[x.event].depends = true
	}
}

// outcome returns the notes of the trial as one text, part by part if their order doesn't count.
func (x *Trial) outcome() string {
	if !x.sorted {
		return strings.Join(x.Notes(), "\n")
	}
	names := make([]string, len(x.parts)+1)
	for name, part := range x.parts {
		names[part] = name
	}
	notes := slices.Clone(x.notes)
	slices.SortStableFunc(notes, func(a, b note) int { return strings.Compare(names[a.part], names[b.part]) })
	var b strings.Builder
	for _, n := range notes {
		if n.time {
			continue
		}
		b.WriteString(names[n.part] + ": " + n.text + "\n")
	}
	return b.String()
}
