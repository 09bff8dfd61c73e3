package frame

// Progress is how far the stages of a stream are. It doesn't change any more.
type Progress struct {
	Stages []StageProgress // in the order in which they were opened; the sink is the last one
	Last   bool            // the stream has ended
}

// StageProgress is how far one stage is: numbers of elements since the stream began.
type StageProgress struct {
	Path, Kind, Name string
	In, Out          int64
	Dead             int64 // given to a Catch
	Failed           int64 // with which the stream has failed
	Lost             int64 // held when the stream ended
	Held             int64
	Rate             float64 // elements per second since the event before: of Out, and for the sink of In
}

// Observed reports whether an observer of the run is told of the current step of f.
func (f *Frame) Observed() bool { return f.bits&observed != 0 }

// ReportProgress tells the observer of the run, if any, how far the stream is that the current
// step of f runs. On the loop of the run.
func (f *Frame) ReportProgress(p *Progress) {
	if r := f.Run(); r.watched {
		r.emitEvent(Event{Kind: Progressed, Frame: f, Progress: p})
	}
}
