package observe

import (
	"fmt"
	"iter"
	"strings"
)

// Stage reports how far one stage of a stream has got in one run. Its numbers count elements since the stream began,
// except Held and Rate.
type Stage struct {
	// Path names the stage as letters do: the path of the sink's step, the kind of the stage and
	// its number, as in "0/through.1".
	Path string
	// Kind names the function that has made the stage: "lines", "through", "fold", ….
	Kind string
	// Name is the name given by stream.Named; "" if there is none.
	Name string
	// In counts the elements that the stage has taken from the stages before it. A source takes none.
	In int64
	// Out counts the elements that the stages behind have taken from it. Nothing is taken from a sink.
	Out int64
	// Dead counts the elements for which the stage has failed and whose letters a stream.Catch has taken.
	Dead int64
	// Failed counts the elements for which the stage has failed and whose letters no stream.Catch has taken.
	Failed int64
	// Lost counts the elements that the stage held when the stream ended. For stream.FlatMap it also counts those that an
	// inner stream held when it ended.
	Lost int64
	// Held counts the elements that are in the stage now: waiting, under way, or done and not taken yet. It is 0 in the
	// last event.
	Held int64
	// Rate is the number of elements a second that were taken from the stage, or, for a sink, by the sink. It covers the time
	// since the event before. In the last event it covers the time since the stream began. It is 0 if no time has passed.
	Rate float64
}

// Label returns the name of the stage; if it has none, its kind and number, as in "through.1".
func (s Stage) Label() string {
	if s.Name != "" {
		return s.Name
	}
	return s.Path[strings.LastIndexByte(s.Path, '/')+1:]
}

// String returns the label and the numbers that aren't 0: "through.1: in 7, out 5, dead 1, held 1, 50/s".
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

// numbers returns the numbers that aren't 0, with their names.
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

// Stages returns the stages of a stream at the event [Progress], in the order in which they were opened: each stage comes after
// the stages that it takes elements from, and the sink is the last one. last reports whether the stream has ended. At other
// events the results are nil and false. Stages allocates the slice, which may be kept.
//
// The streams inside of a stream.FlatMap have no stages of their own here, and no events. The branches of stream.Broadcast, and
// streams in the steps of a stream.Through, have events of their own, at the steps of their sinks.
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

// noteOf returns Event.Note for observers that keep events. For the last Progress of a stream it returns the numbers of the
// stream as text. kept is false for the earlier ones, because they would displace all other events.
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
