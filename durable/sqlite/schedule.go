package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	parser "github.com/robfig/cron/v3"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

// Schedule describes when runs are started again and again; see [Repeat].
type Schedule struct {
	// Name is the name of the schedule in its file. The id of a run is the name, an @, and the time for which the run was started:
	// report@2026-03-01T06:00:00Z.
	Name string

	// When gives the times: "every 15m", for whole multiples of the period as with cron.Every, or the five fields of cron, such as
	// "0 6 * * mon-fri". A period is at least a second. Times are in UTC; "CRON_TZ=Europe/Berlin 0 6 * * *" names another zone, which
	// must be known to the program.
	When string

	// Overlap applies to the times that pass while the program is down, or while the previous run still lives. cron.Skip
	// leaves them out. cron.Later starts one run for all of them when the previous run has ended. cron.Each starts a run for each
	// of them, one after the other. cron.Replace cancels the previous run, and starts one run for all of them when it has ended.
	Overlap cron.Overlap

	// Beside lets a run start while the previous one still lives. Then Overlap applies only to times that have come while the
	// program was down.
	Beside bool
}

// ScheduleInfo describes a schedule.
type ScheduleInfo struct {
	Name     string          `json:"name"`
	When     string          `json:"when"`
	Overlap  cron.Overlap    `json:"overlap"`
	Beside   bool            `json:"beside,omitempty"`
	Workflow string          `json:"workflow"`
	Input    json.RawMessage `json:"input"`
	Paused   bool            `json:"paused,omitempty"`
	Done     time.Time       `json:"done"`           // times up to this one have had their runs, or were left out
	Next     time.Time       `json:"next,omitzero"`  // the time after Done; zero if there is none, or if the schedule is paused
	Last     string          `json:"last,omitempty"` // the id of the run that was started last
}

// Repeat stores a schedule in the file. From now on runs of w with the given input start at its times, also after a restart of the
// program, whether or not it calls Repeat again. There is at most one run for each time. A program calls Repeat whenever it begins:
// a schedule that the file has already is updated. If When is the same, times that have come and had no run yet are kept; if it
// differs, the schedule counts from now on. A paused schedule stays paused.
//
// Repeat fails if ctx, f or w is nil, Name is empty, When can't be read, Overlap isn't one of package cron, w was not given to [Open],
// in can't be stored, or f is closed.
func Repeat[In, Out any](ctx context.Context, f *File, w *durable.Workflow[In, Out], s Schedule, in In) error {
	if ctx == nil {
		return errNoContext
	}
	if f == nil || w == nil {
		return fault.New(fault.InvalidRequest, "the file, or the workflow, is nil")
	}
	if s.Name == "" {
		return fault.New(fault.InvalidRequest, "the name of a schedule is empty")
	}
	overlap, err := s.Overlap.MarshalText()
	if err == nil {
		_, err = timesOf(s.When)
	}
	if err != nil {
		return fault.Wrap(fault.InvalidRequest, "schedule "+s.Name, err)
	}
	if own := f.flows[w.Name()]; own == nil || own.d != w.Definition() {
		return fault.New(fault.InvalidRequest, "schedule "+s.Name+": the workflow "+w.Name()+" was not given to sqlite.Open")
	}
	input, err := engine.Marshal("the input of the schedule", reflect.ValueOf(&in).Elem())
	if err != nil {
		return err
	}
	return f.reschedule(ctx, func(c *session) error {
		return c.do(c.repeat, s.Name, w.Name(), s.When, string(overlap), s.Beside, input, c.at)
	})
}

// timesOf returns a function that returns the first time after the given one that a Schedule.When describes.
func timesOf(when string) (func(after time.Time) time.Time, error) {
	if period, is := strings.CutPrefix(when, "every "); is {
		d, err := time.ParseDuration(period)
		if err != nil {
			return nil, err
		}
		if d < time.Second {
			return nil, fault.New(fault.InvalidRequest, "a period of "+d.String()+" is below a second")
		}
		return cron.Every(d), nil
	}
	fields := when
	if strings.HasPrefix(when, "TZ=") || strings.HasPrefix(when, "CRON_TZ=") { // the parser panics if no fields follow
		_, fields, _ = strings.Cut(when, " ")
	}
	if fields = strings.TrimSpace(fields); fields == "" || fields[0] == '@' {
		return nil, fault.New(fault.InvalidRequest, "a schedule is a period, every 15m, or has the five fields of cron: "+when)
	}
	times, err := parser.ParseStandard(when)
	if err != nil {
		return nil, err
	}
	return func(after time.Time) time.Time { return times.Next(after.UTC()) }, nil
}

const schedulesQuery = "SELECT name, workflow, spec, overlap, beside, input, done, paused, coalesce(last, '') FROM durable_schedules"

func scanSchedule(row interface{ Scan(to ...any) error }) (info ScheduleInfo, err error) {
	var overlap string
	var done int64
	err = row.Scan(&info.Name, &info.Workflow, &info.When, &overlap, &info.Beside, (*[]byte)(&info.Input), &done, &info.Paused, &info.Last)
	if err != nil {
		return info, err
	}
	info.Done = time.Unix(0, done).UTC()
	if err = info.Overlap.UnmarshalText([]byte(overlap)); err != nil {
		return info, err
	}
	next, err := timesOf(info.When)
	if err == nil && !info.Paused {
		info.Next = next(info.Done)
	}
	return info, err
}

// Schedules returns the schedules of the file, sorted by their names.
func (o *Operator) Schedules(ctx context.Context) ([]ScheduleInfo, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	rows, err := o.db.QueryContext(ctx, schedulesQuery+" ORDER BY name")
	if err != nil {
		return nil, err
	}
	all := []ScheduleInfo{}
	err = scanned(rows, func(rows *sql.Rows) error {
		info, err := scanSchedule(rows)
		all = append(all, info)
		return err
	})
	return all, err
}

// Pause makes a schedule start no runs until [Operator.Resume]. Runs that live go on. Pause fails with [ErrNoSchedule] if there is
// no schedule with the given name.
func (o *Operator) Pause(ctx context.Context, schedule string) error {
	return o.send(ctx, request{id: schedule, what: pause})
}

// Resume makes a paused schedule go on. Times that have come meanwhile are treated like times that came while the program was down.
// Resume fails as Pause does.
func (o *Operator) Resume(ctx context.Context, schedule string) error {
	return o.send(ctx, request{id: schedule, what: resume})
}

// Remove deletes a schedule. Runs that live go on. Remove fails as Pause does.
func (o *Operator) Remove(ctx context.Context, schedule string) error {
	return o.send(ctx, request{id: schedule, what: remove})
}

// ErrNoSchedule is the error of an [Operator] for a schedule that the file doesn't have.
var ErrNoSchedule = fault.New(fault.InvalidRequest, "there is no schedule of that name")

const (
	pause  = "pause"
	resume = "resume"
	remove = "remove"
)

func (s *session) ofSchedule(r request) error {
	var done sql.Result
	var err error
	switch r.what {
	case pause, resume:
		done, err = s.exec(s.pause, r.what == pause, s.at, r.id)
	case remove:
		done, err = s.exec(s.unschedule, r.id)
	}
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return fmt.Errorf("%w: %q", ErrNoSchedule, r.id)
}

func (r request) aboutSchedule() bool { return r.what == pause || r.what == resume || r.what == remove }

// reschedule writes a change of the schedules, and makes the alarms read them again.
func (f *File) reschedule(ctx context.Context, write func(c *session) error) error {
	var none error
	err := f.await(ctx, op{
		write: func(c *session) error {
			err := write(c)
			if none = nil; errors.Is(err, ErrNoSchedule) {
				none, err = err, nil // no reason to repeat the transaction
			}
			return err
		},
		written: f.schedules.changed,
	})
	return errors.Join(err, none)
}

// begin starts the run of a schedule that is due, unless it has to wait. It is called again if its transaction fails.
func (d *due) begin(c *session, f *File) error {
	d.start, d.waits, d.cancels = start{}, "", 0
	info, err := scanSchedule(c.row(c.schedule, d.name))
	if errors.Is(err, sql.ErrNoRows) || err == nil && (info.Paused || info.Next.IsZero() || info.Next.UnixNano() > c.at) {
		return nil // the schedule was changed or removed meanwhile
	}
	if err != nil {
		return err
	}
	at, done := info.Next, info.Next
	if info.Overlap != cron.Each && c.at > done.UnixNano() {
		done = time.Unix(0, c.at) // this run stands for all times that have come
	}
	if info.Last != "" && !info.Beside {
		run, state, asleep, err := c.stateOfID(info.Last)
		if err != nil && !errors.Is(err, engine.ErrNoRun) {
			return err
		}
		if err == nil && state == lives {
			return d.wait(c, info, run, asleep, done)
		}
	}
	own := f.flows[info.Workflow]
	if own == nil {
		return fault.New(fault.InvalidRequest, "schedule "+info.Name+": this program has no workflow "+info.Workflow)
	}
	d.start = start{id: info.Name + "@" + at.UTC().Format(time.RFC3339), own: own, in: info.Input}
	if err = d.start.write(c); err != nil {
		return err
	}
	return c.do(c.scheduled, done.UnixNano(), d.start.id, info.Name)
}

// wait does what Overlap asks for when a time has come while the previous run lives.
func (d *due) wait(c *session, info ScheduleInfo, run int64, asleep bool, done time.Time) (err error) {
	if d.waits = info.Last; info.Overlap == cron.Skip {
		d.waits = ""
		return c.do(c.scheduled, done.UnixNano(), info.Last, info.Name)
	}
	if info.Overlap == cron.Replace {
		if asleep {
			err = c.do(c.wake, run)
		}
		if err == nil {
			d.cancels = run
			d.cancel, err = c.append(run, cancelled, "", nil)
		}
	}
	return err
}
