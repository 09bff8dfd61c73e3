package explore

import (
	"slices"
	"strings"
)

// Apart calls begin. It declares that the callbacks that begin queues on the loop, and everything that follows from them, form a
// part of the trial that is independent of the other parts: no part reads memory that another part writes, and parts share no
// run, no guard and no action. Calls with the same name add to one part, and so do actions with that name in [Action].Part.
// Everything else belongs to no part and may depend on everything.
//
// [All] and [Check] then needn't try both orders of two events of different parts, unless both note something: n runs that are
// apart, with one order each, have one schedule. A complete search finds the same outcomes as without Apart. If the parts aren't
// apart, it may miss some; so at its end it also tries some other orders, and fails with [ErrNotApart] if the body fails in one
// of them or the notes are new. Nothing is left out in a trial with [Trial.Slow] or [Trial.Drive], nor in a search with a bound
// of delays. Branches of one run are in the same part.
//
// Apart may be called at any time. An event counts as one that depends on everything if it calls Apart or NotesApart, draws random
// numbers of the loop's host, reports an error to the loop, or cancels a callback of another part.
func (x *Trial) Apart(name string, begin func()) {
	before := x.apart.Enter(x.part(name))
	defer x.apart.Enter(before)
	x.depends()
	begin()
}

// NotesApart declares that the order of notes of different parts doesn't count. The outcome of a trial is then what each part
// has noted, and two events of different parts needn't be tried in both orders even if both note something. Each action notes
// its name, so actions that are apart have one schedule only with NotesApart.
func (x *Trial) NotesApart() {
	x.sorted = true
	x.depends()
}

// reduced reports whether some orders of events needn't be tried.
func (x *Trial) reduced() bool { return len(x.parts) > 0 && !x.mixed }

// part returns the number of the part with the given name, which gets one if it is new. It returns 0 for "".
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
