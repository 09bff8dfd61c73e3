package sqlite

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// run is a live run. Messages reach it in the order of the commits. One driver at a time executes it.
type run struct {
	f *File
	n int64

	mu     sync.Mutex
	inbox  []message
	queued bool // the run is among the drivers' ready runs, or is being executed

	writes atomic.Int64 // the number of ops given to queue whose outcome hasn't been posted to the run yet

	// The driver owns these fields:
	batch  []message // the messages that the driver has taken from the inbox
	done   int       // how many messages of batch the driver is done with
	apart  bool      // a step has ended the driver's goroutine: see machine.apart
	id     string
	name   string // the name of the workflow, or of the flow.Call whose run it is
	own    *deployed
	m      *machine         // nil if the run isn't in memory
	outer  int64            // the run that has called this one; 0 if there is none
	call   string           // the key of the call
	last   int64            // the number of the last event that m was given
	firing bool             // the event of a timer is being written
	ending bool             // the end is being written
	called map[string]*call // calls of bodies that haven't returned, by their keys, including those for a machine that was dropped
	used   time.Time
	stuck  error // why the run stands still
	unread error // why the file couldn't be read; an alarm tries again

	slot int // the place in the heap of alarms; -1 if there is none. The lock of the alarms guards slot and due.
	due  time.Time
}

// message is an event that was committed, or something to do for the run. A message without either only loads the run.
type message struct {
	e  event
	do func(r *run)
}

func (r *run) post(msg message) {
	r.mu.Lock()
	r.inbox = append(r.inbox, msg)
	idle := !r.queued
	r.queued = true
	r.mu.Unlock()
	if idle {
		r.f.drivers.add(r)
	}
}

// take moves the messages from inbox to batch, and reports whether there are any. If there are none, the driver is done with the
// run.
func (r *run) take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batch, r.inbox = r.inbox, r.batch
	if r.queued = len(r.batch) > 0; !r.queued {
		r.batch = nil
	}
	return r.queued
}

func (r *run) serve() {
	for len(r.batch) > 0 || r.take() {
		for ; r.done < len(r.batch); r.done++ {
			r.handle(r.batch[r.done])
		}
		r.settle()
		clear(r.batch)
		r.batch, r.done = r.batch[:0], 0
	}
}

// resume goes on after a step has ended the goroutine that handled a message. If there is a machine, resume drives it until it
// waits, and counts the message as handled. If there is none yet, because the run was being loaded, the message is handled once
// more.
func (r *run) resume() {
	r.apart = true
	if r.m != nil {
		r.m.apart = true
		r.m.drive()
		r.standIfFatal()
		r.done++
	}
	r.serve()
}

func (r *run) handle(msg message) {
	switch {
	case msg.do != nil:
		msg.do(r)
	case msg.e.n == 0:
		r.awake()
	case r.awakeFor(msg.e.n) && msg.e.n > r.last:
		r.give(msg.e)
	}
}

func (r *run) give(e event) {
	if r.m.over { // events that come later are for the next beginning, if there is one
		return
	}
	r.last, r.used = e.n, e.time()
	if e.kind == fired {
		r.firing = false
	}
	r.m.apply(e)
	r.standIfFatal()
}

func (r *run) standIfFatal() {
	if r.m.fatal != nil {
		r.stand(r.m.fatal)
	}
}

// fresh makes the machine of a run that has just been started, whose first event is e, unless somebody has asked for the run
// since the commit, so that it was loaded.
func (r *run) fresh(id string, own *deployed, body string, outer int64, call string, e event) {
	if r.last >= e.n || r.f.ends() {
		return
	}
	r.id, r.name, r.own, r.outer, r.call = id, cmp.Or(body, own.d.Name), own, outer, call
	r.m = newMachine(own.d, id, own.bodies[body])
	r.m.planned, r.m.report = r.f.plans.patches, r.f.report
	r.give(e)
}

// stand makes the run stand still, because it can't go on with this program, or this file.
func (r *run) stand(why error) {
	if r.stuck != nil {
		return
	}
	r.abandon()
	r.stuck = why
	why = fmt.Errorf("run %s stands still: %w", r.id, why)
	said := fmt.Sprint(r.stuck)
	r.f.writer.put(op{write: func(s *session) error { return errors.Join(s.do(s.wake, r.n), s.do(s.why, said, r.n)) }})
	r.f.report(why)
}

// queue gives o to the writer, and keeps the run in memory until the outcome has been posted to it. Any goroutine may call queue.
func (r *run) queue(o op) {
	written := o.written
	r.writes.Add(1)
	o.written = func() {
		written()
		r.writes.Add(-1)
	}
	o.failed = func(why error) {
		r.stands(why)
		r.writes.Add(-1)
	}
	r.f.writer.put(o)
}

// stands makes the run stand still because one of its ops can't be written. Any goroutine may call it.
func (r *run) stands(why error) {
	r.post(message{do: func(r *run) {
		r.ending = false
		r.stand(why)
	}})
}

// abandon drops the run from memory. Its bodies are told to stop.
func (r *run) abandon() {
	if r.m == nil {
		return
	}
	for _, w := range r.m.works {
		if w.quit != nil {
			w.quit()
		}
	}
	r.m = nil
	r.f.alarms.set(r, time.Time{})
}

// settle is called when all messages were handled. It begins the work that the run waits for, or finishes a run that is over.
func (r *run) settle() {
	switch {
	case r.m == nil:
		r.gone()
		return
	case r.m.over:
		r.finish()
		return
	}
	for _, w := range r.m.fresh {
		if !w.done {
			r.begin(w)
		}
	}
	clear(r.m.fresh)
	r.m.fresh = r.m.fresh[:0]
	r.arm()
	r.show()
}

func (r *run) show() {
	if r.own.d.Attribute == "" {
		return
	}
	label := r.m.stands.First()
	if label == r.m.shown {
		return
	}
	r.m.shown = label
	r.f.writer.put(op{write: func(s *session) error { return s.do(s.show, label, r.n) }})
}

// gone drops the run from File.runs, unless it is still needed there.
func (r *run) gone() {
	if r.stuck != nil || r.unread != nil { // the run stays in File.runs, so that callers learn the reason
		return
	}
	f := r.f
	f.mu.Lock()
	defer f.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.inbox) == 0 && !r.ending && f.runs[r.n] == r {
		delete(f.runs, r.n)
	}
}

func (r *run) arm() {
	due, ok := r.m.next()
	if !ok || r.firing {
		due = time.Time{}
	}
	r.f.alarms.set(r, due)
}

// ring is called when the first timer may be due.
func (r *run) ring() {
	if !r.awake() || r.firing || r.m.over {
		return
	}
	if due, ok := r.m.next(); ok && !due.After(r.f.clock.now()) {
		r.firing = true
		r.write(fired, "", nil)
	}
}

// write writes an event, and posts it to the run after the commit.
func (r *run) write(k kind, name string, data []byte) { r.put(k, name, data, nil) }

// put does what write does, unless wanted returns false. wanted is called in the transaction; it may be nil.
func (r *run) put(k kind, name string, data []byte, wanted func(s *session) (bool, error)) {
	var e event
	r.queue(op{
		write: func(s *session) (err error) {
			e = event{}
			if wanted != nil {
				if yes, err := wanted(s); !yes || err != nil {
					return err
				}
			}
			if k == adopted {
				if err = s.do(s.adopt, name, r.n); err != nil {
					return err
				}
			}
			e, err = s.append(r.n, k, name, data)
			return err
		},
		written: func() {
			if e.n != 0 {
				r.post(message{e: e})
			}
		},
	})
}

// rest takes the run out of memory if nothing has come since the given time, and if nothing keeps it there, such as work that settle has
// yet to begin, a body that is being called, or an event that is being written.
func (r *run) rest(before time.Time) {
	if r.m == nil || r.m.over || len(r.m.fresh) > 0 || r.own.stays || r.firing || len(r.called) > 0 || r.writes.Load() > 0 || r.used.After(before) {
		return
	}
	for _, w := range r.m.works {
		if w.Body.Call != nil {
			return // the body waits for a limit, or its result is being written
		}
	}
	wake := int64(math.MaxInt64)
	if due, ok := r.m.next(); ok && due.Before(time.Unix(0, wake)) {
		wake = due.UnixNano()
	}
	last := r.last
	r.abandon()
	r.f.writer.put(op{
		write:   func(s *session) error { return s.do(s.sleep, wake, r.n, last) },
		written: func() { r.f.alarms.sleeps(wake) },
	})
}
