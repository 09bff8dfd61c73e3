package debug

import (
	"slices"
	"sync"
	"time"
)

// past keeps the figures of the runs that ended in each of the last minutes. Its zero value is ready. It allocates memory as
// minutes pass.
type past struct {
	mu     sync.Mutex
	minute int64 // the minute that times and failed belong to
	times  *histogram
	failed int
	kept   []minute // of earlier minutes in which runs ended, oldest first
}

const minutes = 60

type minute struct {
	number int64 // since the start of the clock
	failed int
	times  quantiles
}

func (p *past) add(at, took time.Duration, failed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn(at)
	if p.times == nil {
		p.times = new(histogram)
	}
	p.times.add(took)
	if failed {
		p.failed++
	}
}

// turn begins a new minute if it is time. The caller holds p.mu.
func (p *past) turn(at time.Duration) {
	now := int64(at / time.Minute)
	if now <= p.minute {
		return
	}
	if p.times != nil && p.times.count > 0 {
		if len(p.kept) == minutes {
			p.kept = append(p.kept[:0], p.kept[1:]...)
		}
		p.kept = append(p.kept, p.current())
		*p.times = histogram{}
	}
	p.minute, p.failed = now, 0
}

func (p *past) current() minute { return minute{p.minute, p.failed, quantilesOf(p.times)} }

type minuteView struct {
	Ago    int       `json:"ago"` // how many minutes ago; 0 is the present minute
	Failed int       `json:"failed"`
	Times  quantiles `json:"times"` // of all runs, failed or not
}

func (p *past) view(now time.Duration) (all []minuteView) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn(now)
	kept := p.kept
	if p.times != nil && p.times.count > 0 {
		kept = append(slices.Clip(kept), p.current())
	}
	for _, m := range kept {
		if ago := int(p.minute - m.number); ago < minutes {
			all = append(all, minuteView{ago, m.failed, m.times})
		}
	}
	return all
}
