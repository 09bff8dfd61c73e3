package sqlite

import (
	"database/sql"
	"fmt"
	"math"
	"sync"
	"time"
)

type schedules struct {
	f *File

	mu      sync.Mutex
	stale   bool                 // the schedules have to be read again
	again   time.Time            // after reading has failed, when to read them again; otherwise zero
	next    map[string]time.Time // the next time of each schedule, by name
	waiting map[string]string    // by the names of schedules that have to wait: the id of the run whose end the schedule waits for
}

type due struct {
	name string

	// begin sets these fields:
	start   start
	waits   string // the id of the run whose end has to be waited for
	cancels int64  // the run that is cancelled; 0 if none is
	cancel  event
}

// changed makes the alarms read all schedules again.
func (s *schedules) changed() {
	s.mu.Lock()
	clear(s.waiting)
	s.stale = true
	s.mu.Unlock()
	s.f.alarms.news()
}

// ended is called when the run with the given id has ended.
func (s *schedules) ended(id string) {
	s.mu.Lock()
	news := false
	for name, run := range s.waiting {
		if run == id {
			delete(s.waiting, name)
			s.stale, news = true, true
		}
	}
	s.mu.Unlock()
	if news {
		s.f.alarms.news()
	}
}

func (s *schedules) until(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stale {
		return 0
	}
	wait := time.Duration(math.MaxInt64)
	if !s.again.IsZero() {
		wait = s.again.Sub(now)
	}
	for _, at := range s.next {
		wait = min(wait, at.Sub(now))
	}
	return wait
}

// ring reloads the schedules if they may have changed, and calls begin for those that are due. The goroutine of the alarms calls
// it.
func (s *schedules) ring(now time.Time) {
	if err := s.load(now); err != nil {
		s.f.report(fmt.Errorf("the schedules can't be read: %w", err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, at := range s.next {
		if !at.After(now) {
			delete(s.next, name) // begun makes the alarms read the schedule again
			s.begin(name)
		}
	}
}

// load reads the schedules if they may have changed. If that fails, it reads them again after a second.
func (s *schedules) load(now time.Time) error {
	s.mu.Lock()
	stale := s.stale || !s.again.IsZero() && !s.again.After(now)
	s.stale = false
	s.mu.Unlock()
	if !stale {
		return nil
	}
	next := make(map[string]time.Time)
	err := s.f.each(func(rows *sql.Rows) error {
		info, err := scanSchedule(rows)
		switch {
		case err != nil:
			s.f.report(fmt.Errorf("schedule %s: %w", info.Name, err)) // the others go on
		case !info.Next.IsZero():
			next[info.Name] = info.Next
		}
		return nil
	}, schedulesQuery)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.again = (time.Time{}); err != nil {
		s.again = now.Add(time.Second)
		return err
	}
	for name := range s.waiting {
		delete(next, name)
	}
	s.next = next
	return nil
}

func (s *schedules) begin(name string) {
	d := &due{name: name}
	s.f.writer.put(op{
		write: func(c *session) error { return d.begin(c, s.f) },
		written: func() {
			if d.start.fresh {
				s.f.began(&d.start)
			}
			if d.cancels != 0 {
				s.f.post(d.cancels, message{e: d.cancel})
			}
			s.begun(name, d.waits)
		},
		failed: func(why error) {
			s.begun(name, "?") // the schedule waits until a schedule is changed
			s.f.report(why)
		},
	})
}

// begun is called when begin has been committed or has failed, and makes the alarms read the schedules again. waits is the id of
// the run whose end the schedule has to wait for, "?" after a failure, and "" if it needn't wait.
func (s *schedules) begun(name, waits string) {
	s.mu.Lock()
	if waits != "" {
		s.waiting[name] = waits
	}
	s.stale = true
	s.mu.Unlock()
	s.f.alarms.news()
}
