package observe

import (
	"fmt"
	"iter"
	"strings"
)

// Stage is how far one stage of a stream is, in one run: numbers of elements since the
// stream began.
type Stage struct {
	// Path names the stage as letters do: the path of the sink's step, the kind of the stage and
	// its number, as in "0/through.1".
	Path string
	// Kind is what made the stage: "lines", "through", "fold", ….
	Kind string
	// Name is what stream.Named has called it; "" if it has no name.
	Name string
	// In is how many elements it has taken from the stages before it. A source takes none.
	In int64
	// Out is how many elements the stages behind have taken from it. From a sink nothing is
	// taken.
	Out int64
	// Dead is for how many elements it has failed and a stream.Catch has taken their letters.
	Dead int64
	// Failed is for how many elements it has failed and the stream has failed with that.
	Failed int64
	// Lost is how many elements it held when the stream ended, in the last event.
	Lost int64
	// Held is how many elements are in the stage now: waiting, under way, or done and not taken
	// yet. It is 0 in the last event.
	Held int64
	// Rate is how many elements a second were taken from it, and for a sink how many it has taken: since
	// the event before, and in the last event since the stream began. It is 0 if no time has passed.
	Rate float64
}

// Label is the name of the stage; without one it is its kind and number, as in "through.1".
func (s Stage) Label() string {
	if s.Name != "" {
		return s.Name
	}
	return s.Path[strings.LastIndexByte(s.Path, '/')+1:]
}

// String gives the label and the numbers that aren't 0: "through.1: in 7, out 5, dead 1, held 1, 50/s".
func (s Stage) String() string {
	var b strings.Builder
	b.WriteString(s.Label())
	sep := ": "
	for name, n := range s.numbers() {
		fmt.Fprintf(&b, "%s%s %d", sep, name, n)
		sep = ", "
	}
	if s.Rate != 0 {
		fmt.Fprintf(&b, "%s%.4g/s", sep, s.Rate)
	}
	return b.String()
}

// numbers gives those that aren't 0, with their names.
func (s Stage) numbers() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for _, x := range [...]struct {
			name string
			n    int64
		}{{"in", s.In}, {"out", s.Out}, {"dead", s.Dead}, {"failed", s.Failed}, {"lost", s.Lost}, {"held", s.Held}} {
			if x.n != 0 && !yield(x.name, x.n) {
				return
			}
		}
	}
}

// Stages says how far a stream is, at the event [Progress]: its stages in the order in which they were
// opened, so that each comes after those that it takes elements from and the sink is the last one. last says that the stream
// has ended. Both are zero at all other events. Making the slice costs an allocation; it may be kept.
//
// The streams inside of a stream.FlatMap have no stages of their own here, and those of the
// branches of stream.Broadcast are told by events of their own, of the steps of their sinks. A
// stream that runs inside of an element of another one is not told.
func (e Event) Stages() (stages []Stage, last bool) {
	if e.progress == nil {
		return nil, false
	}
	stages = make([]Stage, len(e.progress.Stages))
	for i, s := range e.progress.Stages {
		stages[i] = Stage(s)
	}
	return stages, e.progress.Last
}

// noteOf is Event.Note for observers that keep events: of a stream its numbers. kept is false for all but the last
// numbers of a stream, which would drive out everything else.
func noteOf(e Event) (note string, kept bool) {
	if e.Kind != Progress {
		return e.Note, true
	}
	stages, last := e.Stages()
	if !last {
		return "", false
	}
	said := make([]string, len(stages))
	for i, s := range stages {
		said[i] = s.String()
	}
	return strings.Join(said, "; "), true
}
