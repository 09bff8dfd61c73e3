package sqlite

import (
	"container/heap"
	"database/sql"
	"math"
	"sync"
	"time"
)

// alarms wake runs whose first timer is due. They also start the runs of schedules, take runs that have waited for a while out of
// memory, delete ended runs that are old or too many, and look for requests of other programs.
type alarms struct {
	f    *File
	wake chan struct{} // holds a value if serve has to look again
	end  chan struct{}
	done chan struct{}

	mu     sync.Mutex
	heap   ringing
	asleep int64 // the earliest time at which a run that isn't in memory may have to be woken; nanoseconds of Unix time
	full   bool  // too many runs are in memory
}

func newAlarms(f *File) *alarms {
	return &alarms{f: f, wake: make(chan struct{}, 1), end: make(chan struct{}), done: make(chan struct{})}
}

// set sets the time at which r is woken. The zero time means never.
func (a *alarms) set(r *run, due time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if due.Equal(r.due) {
		return
	}
	switch r.due = due; {
	case due.IsZero():
		if r.slot >= 0 {
			heap.Remove(&a.heap, r.slot)
		}
		return
	case r.slot >= 0:
		heap.Fix(&a.heap, r.slot)
	default:
		heap.Push(&a.heap, r)
	}
	if r.slot == 0 {
		a.news()
	}
}

// sleeps notes a time at which a run that isn't in memory may have to be woken.
func (a *alarms) sleeps(until int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if until < a.asleep {
		a.asleep = until
		a.news()
	}
}

// crowded is called when too many runs are in memory.
func (a *alarms) crowded() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.full {
		a.full = true
		a.news()
	}
}

func (a *alarms) news() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

const (
	crowd  = 100 * time.Millisecond // replaces Options.Idle while too many runs are in memory
	expiry = time.Minute            // how often ended runs are deleted
)

// serve does the work of the alarms until close is called.
func (a *alarms) serve() {
	defer close(a.done)
	swept := a.f.clock.now()
	kept, asked := swept, swept
	for {
		now := a.f.clock.now()
		a.ring(now)
		a.load(now)
		a.f.schedules.ring(now)
		if now.Sub(swept) >= a.f.options.Idle/2 {
			swept = now
			a.sweep(now.Add(-a.f.options.Idle))
		} else if a.isFull() && now.Sub(swept) >= crowd {
			swept = now
			a.sweep(now.Add(-crowd))
		}
		if now.Sub(kept) >= expiry {
			kept = now
			a.f.expire(now)
		}
		if !a.f.options.deaf && now.Sub(asked) >= requests {
			asked = now
			a.f.answers()
		}
		next := min(a.next(now), a.f.schedules.until(now), swept.Add(a.f.options.Idle/2).Sub(now), kept.Add(expiry).Sub(now))
		if !a.f.options.deaf {
			next = min(next, asked.Add(requests).Sub(now))
		}
		if a.isFull() {
			next = min(next, swept.Add(crowd).Sub(now))
		}
		t := time.NewTimer(next)
		select {
		case <-t.C:
		case <-a.wake:
		case <-a.end:
			t.Stop()
			return
		}
		t.Stop()
	}
}

func (a *alarms) close() {
	close(a.end)
	<-a.done
}

func (a *alarms) isFull() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.full
}

// ring wakes the runs of the heap that are due.
func (a *alarms) ring(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.heap) > 0 && !a.heap[0].due.After(now) {
		r := a.heap[0]
		heap.Pop(&a.heap)
		r.due = time.Time{}
		r.post(message{do: (*run).ring})
	}
}

func (a *alarms) load(now time.Time) {
	a.mu.Lock()
	due := a.asleep <= now.UnixNano()
	if due {
		a.asleep = math.MaxInt64
	}
	a.mu.Unlock()
	if !due {
		return
	}
	const page = 1000
	runs, next, err := a.f.due(now, page)
	if err != nil {
		a.f.report(err)
		next = now.Add(time.Second).UnixNano()
	}
	for _, n := range runs {
		a.f.post(n, message{do: (*run).ring})
	}
	if len(runs) == page { // the query returns further runs when these are in memory
		next = now.Add(10 * time.Millisecond).UnixNano()
	}
	a.sleeps(next)
}

func (f *File) due(now time.Time, most int) (runs []int64, next int64, err error) {
	next = math.MaxInt64
	err = f.each(func(rows *sql.Rows) error {
		var n, at int64
		if err := rows.Scan(&n, &at); err != nil {
			return err
		}
		if at <= now.UnixNano() {
			runs = append(runs, n)
		} else {
			next = min(next, at)
		}
		return nil
	}, "SELECT run, wake FROM durable_runs WHERE wake IS NOT NULL ORDER BY wake LIMIT ?", most)
	return runs, next, err
}

// sweep makes the runs to which nothing has come since the given time leave memory, if run.rest allows that.
func (a *alarms) sweep(before time.Time) {
	f := a.f
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.runs {
		r.post(message{do: func(r *run) { r.rest(before) }})
	}
	a.mu.Lock()
	a.full = len(f.runs) > f.options.resident
	a.mu.Unlock()
}

func (a *alarms) next(now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	wait := time.Duration(math.MaxInt64)
	if a.asleep < math.MaxInt64 {
		wait = time.Duration(a.asleep - now.UnixNano())
	}
	if len(a.heap) > 0 {
		wait = min(wait, a.heap[0].due.Sub(now))
	}
	return wait
}

type ringing []*run

// Len implements heap.Interface.
func (h *ringing) Len() int { return len(*h) }

// Less implements heap.Interface.
func (h *ringing) Less(i, j int) bool { return (*h)[i].due.Before((*h)[j].due) }

// Swap implements heap.Interface.
func (h *ringing) Swap(i, j int) {
	all := *h
	all[i], all[j] = all[j], all[i]
	all[i].slot, all[j].slot = i, j
}

// Push implements heap.Interface.
func (h *ringing) Push(r any) {
	own, _ := r.(*run)
	own.slot = len(*h)
	*h = append(*h, own)
}

// Pop implements heap.Interface.
func (h *ringing) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	(*h)[last] = nil
	*h, r.slot = (*h)[:last], -1
	return r
}
