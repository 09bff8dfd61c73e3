package stream

import (
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// reportEvery is the shortest time between two Progress events of one stream, apart from the last one.
const reportEvery = 100 * time.Millisecond

// tally counts what one stage does in a run that is observed, on the goroutine of the run's loop.
type tally struct {
	plan.StageProgress

	told     *reporter
	sink     bool       // the stage is a sink
	before   []*tally   // the stages that it takes elements from
	holds    func() int // nil for a stage that isn't a holder
	reported int64      // what In (for a sink) or Out (for another stage) was in the event before
}

type holder interface{ holds() int }

// reporter tells the observers of a run how far a stream has got.
type reporter struct {
	pipe   *pipe
	place  plan.Place // of the sink
	stages []*tally   // in the order in which they were opened
	loose  []*tally   // the stages among them from which no other stage takes elements yet
	news   bool       // something has been counted since the event before
	began  time.Duration
	last   time.Duration // the time of the event before
	alarm  alarm
}

func (p *pipe) observe(place plan.Place) {
	if place.Observed() {
		now := usercode.HostOf(p.loop).Now()
		p.told = &reporter{pipe: p, place: place, began: now, last: now}
	}
}

// add adds a stage to the report. takes is how many stages the new one takes elements from: the last ones of
// loose, because a stage is opened after those that it takes elements from.
func (r *reporter) add(path, kind string, takes int) *tally {
	n := len(r.loose) - takes
	t := &tally{StageProgress: plan.StageProgress{Path: path, Kind: kind}, told: r, before: slices.Clone(r.loose[n:])}
	r.stages, r.loose = append(r.stages, t), append(r.loose[:n], t)
	return t
}

func (t *tally) count(number *int64, n int) {
	*number += int64(n)
	t.told.news = true
}

// counting wraps s so that its elements are counted for the stage of e, if the stream is observed.
func counting[T any](e env, s inlet[T]) inlet[T] {
	if e.p.told == nil {
		return s
	}
	e.tally.of(s)
	return &counter[T]{s, e.tally}
}

// of lets t ask stage how many elements it holds, if stage implements holder.
func (t *tally) of(stage any) {
	if h, ok := stage.(holder); ok {
		t.holds = h.holds
	}
}

type counter[T any] struct {
	inlet[T]

	tally *tally
}

func (c *counter[T]) poll(room int) ([]T, error) {
	chunk, err := c.inlet.poll(room)
	if len(chunk) > 0 {
		c.tally.count(&c.tally.Out, len(chunk))
	}
	return chunk, err
}

// turn reports new counts to the observers. If the last event was less than reportEvery ago, turn arms a timer instead.
func (r *reporter) turn() {
	if !r.news {
		return
	}
	if ago := usercode.HostOf(r.pipe.loop).Now() - r.last; ago < reportEvery {
		_ = r.alarm.start(r.pipe, reportEvery-ago) // a loop that takes no timer shuts down, and the stream ends soon
		return
	}
	r.report(false)
}

func (r *reporter) end() { r.report(true) }

func (r *reporter) report(last bool) {
	r.alarm.stop()
	now := usercode.HostOf(r.pipe.loop).Now()
	took := now - r.last
	if last {
		took = now - r.began
	}
	p := &plan.Progress{Stages: make([]plan.StageProgress, len(r.stages)), Last: last}
	for i, t := range r.stages {
		t.measure(took, last)
		p.Stages[i] = t.StageProgress
	}
	r.last, r.news = now, false
	r.place.Report(p)
}

// measure updates the computed numbers of t. took is the time since the event before; in the last event it is
// the duration of the stream.
func (t *tally) measure(took time.Duration, last bool) {
	t.In, t.Held = 0, 0
	for _, b := range t.before {
		t.In += b.Out
	}
	moved := t.Out
	if t.sink {
		moved = t.In
	}
	since := moved - t.reported
	t.reported = moved
	if last {
		since = moved
	} else if t.holds != nil {
		t.Held = int64(t.holds())
	}
	t.Rate = 0
	if took > 0 {
		t.Rate = float64(since) / took.Seconds()
	}
}
