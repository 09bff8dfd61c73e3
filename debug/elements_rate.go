package debug

import "time"

// speedWindow is the least time that the rates of a stream cover, once the stream is that old. Rates cover the last 5 to 10 seconds,
// or more if events are rare. The rates in an event cover only the time since the previous event, perhaps a tenth of a second. For
// a stage that gives five elements a second they would jump between 10 and 0.
const speedWindow = span(5 * time.Second)

// progressMark holds how many elements had left each stage of a stream at a moment. For the sink it is how many had come to it.
type progressMark struct {
	at    span
	moved []int64
}

func (v *streamView) mark() progressMark {
	m := progressMark{v.At, make([]int64, len(v.Stages))}
	for i, s := range v.Stages {
		m.moved[i] = s.Out
	}
	if last := len(v.Stages) - 1; last >= 0 {
		m.moved[last] = v.Stages[last].In // the sink
	}
	return m
}

// measure replaces the rates of v, which cover the time since the previous event, by rates since the mark v.older. before is the
// view of the previous event, or nil. The rates of the first and of the last event of a stream stay, because they cover the time
// since its beginning.
func (v *streamView) measure(before *streamView) {
	now := v.mark()
	switch {
	case v.Ended:
		return
	case before == nil || before.Ended || len(before.Stages) != len(v.Stages):
		v.older, v.newer = v.began(now), now
		return
	}
	v.older, v.newer = before.older, before.newer
	if took := time.Duration(v.At - v.older.at); took > 0 {
		for i := range v.Stages {
			v.Stages[i].Rate = float64(now.moved[i]-v.older.moved[i]) / took.Seconds()
		}
	}
	if v.At-v.newer.at >= speedWindow {
		v.older, v.newer = v.newer, now
	}
}

// began estimates the mark at the beginning of the stream. first is the mark of the first event, and the rates of v cover the time
// until then. If they are zero, began returns first.
func (v *streamView) began(first progressMark) progressMark {
	for i, s := range v.Stages {
		if s.Rate > 0 {
			took := time.Duration(float64(first.moved[i]) / s.Rate * float64(time.Second))
			return progressMark{v.At - span(took), make([]int64, len(v.Stages))}
		}
	}
	return first
}
