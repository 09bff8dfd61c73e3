package debug

import "time"

// look keeps the time for which a page is made, and the queues of guards that were read for the page.
type look struct {
	now    time.Duration
	queues map[*guard]*queueLook
}

func newLook(now time.Duration) *look { return &look{now: now, queues: make(map[*guard]*queueLook)} }

// queueLook tells what a step in a queue waits for.
type queueLook struct {
	places  map[*entry]int // places of the first maxPlaces entries in the queue, from 1
	queued  int
	inside  int
	holders []holderView
	rate    float64 // entries a second, in the last minute
}

type holderView struct {
	Run uint64 `json:"run"`
	For span   `json:"for"`
}

// Bounds of what is read of a guard.
const (
	maxPlaces  = 1000
	maxHolders = 3
)

// queue reads a guard once for the page. The caller may hold record.mu.
func (l *look) queue(g *guard) *queueLook {
	if q := l.queues[g]; q != nil {
		return q
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	q := &queueLook{places: make(map[*entry]int), queued: g.queue.count, inside: g.inside.count, rate: g.enters.perSecond(l.now)}
	for e := g.queue.first; e != nil && len(q.places) < maxPlaces; e = e.next {
		q.places[e] = len(q.places) + 1
	}
	for e := g.inside.first; e != nil && len(q.holders) < maxHolders; e = e.next {
		q.holders = append(q.holders, holderView{e.record.run.ID, span(max(0, l.now-e.since))})
	}
	l.queues[g] = q
	return q
}

// queueView tells what a step in the queue of a guard waits for. Places count by arrival: a guard may let later ones in first.
type queueView struct {
	Place   int          `json:"place,omitempty"` // place in the queue, from 1; 0 for a place after the first 1000
	Queued  int          `json:"queued"`
	Inside  int          `json:"inside"`
	Holders []holderView `json:"holders"`          // those that have been inside longest, at most 3
	Expect  span         `json:"expect,omitempty"` // estimated from the entries of the last minute, if there were any

	Guard int `json:"-"` // number of the guard on the page of guards
}

func (v *queueView) More() int { return v.Inside - len(v.Holders) }

// queueOf returns what an entry waits for. It returns nil if the entry isn't in the queue any more.
func (l *look) queueOf(e *entry) *queueView {
	q := l.queue(e.guard)
	if q.places[e] == 0 && q.queued <= maxPlaces {
		return nil
	}
	v := &queueView{Place: q.places[e], Queued: q.queued, Inside: q.inside, Holders: q.holders, Guard: e.guard.number}
	if q.rate > 0 && v.Place > 0 {
		v.Expect = span(float64(v.Place) / q.rate * float64(time.Second))
	}
	return v
}
