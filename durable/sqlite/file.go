package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
	_ "modernc.org/sqlite" // the driver
)

// Workflow is a durable.Workflow of any types.
type Workflow interface {
	Name() string
	Err() error
	Definition() *engine.Definition
}

// File is an engine on one SQLite file. [Open] makes one. It is safe for concurrent use.
type File struct {
	path    string
	options Options
	owner   *owner
	db      *sql.DB
	readers readers
	lookers chan struct{} // the places that lookUp takes
	clock   *clock
	writer  *writer
	drivers *drivers
	alarms  *alarms
	plans   plans

	schedules schedules
	limits    map[string][]*limit // by names of steps: the limits of their bodies, in the order in which calls enter them

	flows map[string]*deployed // by name; not changed after Open

	mu      sync.Mutex
	runs    map[int64]*run            // those that are in memory, have messages, are ending, stand still, or couldn't be read, by number
	waiters map[string][]chan outcome // by the id of a run: a channel for each caller that waits for its end
	resting bool                      // no more bodies are called
	closing bool
	closed  chan struct{} // closed when Close has ended
	bodies  int           // how many bodies are being called
	vacant  chan struct{} // closed when no body is being called, and none will be

	answering atomic.Bool    // a goroutine carries out requests of other programs
	others    sync.WaitGroup // counts the goroutine that carries out these requests
}

type deployed struct {
	d      *engine.Definition
	bodies map[string]*tool.Body // the bodies of runs: "" is the whole plan
	record engine.Record
	plan   int64 // the number of its plan in the file
	stays  bool  // its runs don't leave memory, because they would leave coroutines of iterators behind
}

// Open opens the file at path, or makes one, and continues the runs in it that haven't ended. Give it every workflow that has live
// runs in the file: the runs of others stand still. ctx limits the opening only.
//
// Only one File can have a file open at a time. If another File has it open, Open fails with [ErrInUse], or waits if
// Options.Standby is set. Other programs may read the file, and may write to tables of their own in it; the engine waits for them
// for up to ten seconds at a time. The tables of the engine have names that begin with durable_. The file must be on a local disk.
// Beside it are files with the same name and -wal, -shm or -owner behind it. The first two are SQLite's; -owner is empty and holds
// the lock. The lock is lost if -owner is removed, or if the program that has the lock opens and closes -owner in another way, for
// example to copy it. A hard link to the file has a lock of its own. So copy the file with [File.Backup], and give it one name.
//
// Open fails if a workflow is nil or has an Err, if two workflows have one name, if an input, result or signal is or holds a message
// of protobuf, if a limit in options is below one or fits no body, or if the file is no SQLite database, can't be written, or has
// the schema of a newer version of this package.
func Open(ctx context.Context, path string, options Options, with ...Workflow) (*File, error) {
	f := &File{
		path: path, options: options.withDefaults(), flows: make(map[string]*deployed),
		runs: make(map[int64]*run), waiters: make(map[string][]chan outcome), lookers: make(chan struct{}, idle),
		closed: make(chan struct{}), vacant: make(chan struct{}),
	}
	f.schedules = schedules{f: f, stale: true, waiting: make(map[string]string)}
	for _, w := range with {
		if err := f.add(w); err != nil {
			return nil, err
		}
	}
	if ctx == nil {
		return nil, errNoContext
	}
	if err := f.limit(); err != nil {
		return nil, err
	}
	if err := f.open(ctx); err != nil {
		return nil, fmt.Errorf("durable/sqlite: %s can't be opened: %w", path, err)
	}
	return f, nil
}

func (f *File) add(w Workflow) error {
	if v := reflect.ValueOf(w); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return fault.New(fault.InvalidRequest, "a workflow is nil")
	}
	if err := w.Err(); err != nil {
		return err
	}
	d := w.Definition()
	if f.flows[d.Name] != nil {
		return fault.New(fault.InvalidRequest, "there are two workflows of the name "+d.Name)
	}
	record, err := d.Stored()
	if err != nil {
		return err
	}
	own := &deployed{d: d, bodies: map[string]*tool.Body{"": d.Root}, record: record}
	for _, k := range d.Known {
		if k.Body.Start != nil {
			own.bodies[k.Name] = k.Body
		}
		if err = errors.Join(fits(k.Body.In), fits(k.Body.Out)); err != nil {
			return fault.Wrap(fault.InvalidRequest, k.Name, err)
		}
	}
	for t := range d.Waits.Types {
		if err = fits(t); err != nil {
			return fault.Wrap(fault.InvalidRequest, "a signal", err)
		}
	}
	own.stays = iterates(d.Plans)
	f.flows[d.Name] = own
	return errors.Join(fits(d.Root.In), fits(d.Root.Out))
}

// iterates reports whether runs of the plans may hold an iterator open while they wait.
func iterates(all engine.Plans) bool {
	for _, plan := range all {
		for t := range plan.All() {
			if strings.Contains(t.In, "iter.Seq") || t.Kind == "seq" || t.Kind == "seq2" || t.Kind == "expand" {
				return true
			}
		}
	}
	return false
}

func (f *File) open(ctx context.Context) (err error) {
	f.path = resolved(f.path)
	if f.owner, err = own(ctx, f.path, f.options.Standby); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.letGo())
		}
	}()
	sync := "synchronous(FULL)"
	if f.options.Relaxed {
		sync = "synchronous(NORMAL)"
	}
	if f.db, err = sql.Open("sqlite", dsn(f.path, append([]string{patient, "journal_mode(WAL)", rarely, sync}, f.options.pragmas...)...)); err != nil {
		return err
	}
	s, err := newSession(ctx, f.db)
	if err != nil {
		return err
	}
	last, err := lastOf(ctx, f.db)
	if err == nil {
		f.readers, err = newReaders(ctx, f.db)
	}
	if err == nil {
		f.clock = newClock(f.options.wall, last)
		f.writer = newWriter(s, f.clock, f.report)
		f.writer.most, f.writer.committed = f.options.most, f.options.committed
		f.writer.pause = cmp.Or(f.options.pause, f.writer.pause)
		err = f.plans.load(ctx, f, s)
	}
	if err == nil {
		err = s.do(s.missed, f.clock.now().UnixNano())
	}
	if err != nil {
		return errors.Join(err, s.close())
	}
	f.drivers = newDrivers(cmp.Or(runtime.GOMAXPROCS(0), 1))
	f.alarms = newAlarms(f)
	go f.writer.serve()
	go f.alarms.serve()
	if err = f.resume(ctx); err != nil {
		return errors.Join(err, f.stop(ctx))
	}
	return nil
}

func lastOf(ctx context.Context, db *sql.DB) (time.Time, error) {
	var at int64
	err := db.QueryRowContext(ctx, "SELECT at FROM durable_history ORDER BY n DESC LIMIT 1").Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return time.Unix(0, at), err
}

// resume continues the live runs that aren't asleep.
func (f *File) resume(ctx context.Context) (err error) {
	rows, err := f.db.QueryContext(ctx, "SELECT run FROM durable_runs WHERE state = 0 AND wake IS NULL")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n int64
		if err = rows.Scan(&n); err != nil {
			return err
		}
		f.post(n, message{do: func(r *run) { r.awakeFor(0) }}) // an event may have come while no program had the file
	}
	return rows.Err()
}

// Engine returns the engine, for durable.Workflow.Start and Attach.
func (f *File) Engine() durable.Engine { return durable.On(face{f}) }

// Path returns the absolute path of the file, without links.
func (f *File) Path() string { return f.path }

// Close ends the engine and releases the file. The runs go on when the file is opened again. The contexts of bodies end, and Close
// waits for the bodies until ctx ends. A body that returns a value although its context has ended has done its work. One that
// returns an error, or nothing in time, is called again with the same key when the file is opened again. Close waits in any case
// for a body of [Transact] that has its transaction. For functions of step.Map and the like, which have no context, it waits for at
// most a second after ctx has ended; what they do later is dropped, and done again. A second Close only waits until the first one
// or ctx has ended.
func (f *File) Close(ctx context.Context) error {
	if ctx == nil {
		return errNoContext
	}
	if misused := useOf(ctx); misused != nil {
		return misused
	}
	f.mu.Lock()
	again := f.closing
	f.closing = true
	f.mu.Unlock()
	if !again {
		return f.stop(ctx)
	}
	if !comes(ctx, f.closed) {
		return fmt.Errorf("durable/sqlite: the file is still being closed: %w", context.Cause(ctx))
	}
	return nil
}

// comes waits until c is closed or ctx has ended, and reports whether c is closed.
func comes(ctx context.Context, c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-ctx.Done():
	}
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Shutdown is [File.Close] with patience: it waits for bodies without ending their contexts. From now on no body is called. Bodies
// that are being called may return until ctx ends, and what they return is written. Then the file is closed. Runs whose bodies
// weren't called go on when the file is opened again. Until the file is closed, runs can be started, and sent signals, as before.
//
// If ctx ends first, Shutdown ends the contexts of the bodies that are left, waits for these bodies as Close does, for up to
// [tool.ShutdownGrace], and returns an error with the cause of ctx. Shutdown may be called again. So may Close, which ends the
// patience.
func (f *File) Shutdown(ctx context.Context) error {
	if ctx == nil {
		return errNoContext
	}
	if misused := useOf(ctx); misused != nil {
		return misused
	}
	f.mu.Lock()
	f.resting = true
	f.count(0)
	f.mu.Unlock()
	if comes(ctx, f.vacant) {
		return f.Close(ctx)
	}
	late := fmt.Errorf("durable/sqlite: bodies were cut off: %w", context.Cause(ctx))
	grace, stop := context.WithTimeout(context.WithoutCancel(ctx), tool.ShutdownGrace)
	defer stop()
	return errors.Join(late, f.Close(grace))
}

// occupy reports whether a body may be called, and if so counts it in bodies.
func (f *File) occupy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	may := !f.resting && !f.closing // a body that returns during Close lets in the next calls of its limits
	if may {
		f.count(1)
	}
	return may
}

func (f *File) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count(-1)
}

// count adds more to bodies. The caller holds mu.
func (f *File) count(more int) {
	if f.bodies += more; f.bodies > 0 || !f.resting && !f.closing {
		return
	}
	select {
	case <-f.vacant: // already closed by Shutdown, before Close
	default:
		close(f.vacant)
	}
}

func (f *File) stop(ctx context.Context) error {
	defer close(f.closed)
	f.mu.Lock()
	f.closing = true
	f.count(0)
	for _, r := range f.runs {
		r.post(message{do: (*run).abandon})
	}
	f.mu.Unlock()
	f.alarms.close()
	late := f.drivers.close(ctx) // after the runs have been abandoned
	if !comes(ctx, f.vacant) {
		late = errors.Join(late, fmt.Errorf("durable/sqlite: not all bodies have returned: %w", context.Cause(ctx)))
	}
	f.writer.close()
	close(f.writer.hurry) // what can't be written now is done again later
	<-f.writer.ended
	f.others.Wait()
	f.mu.Lock()
	for id, all := range f.waiters {
		for _, w := range all {
			close(w)
		}
		delete(f.waiters, id)
	}
	f.mu.Unlock()
	return errors.Join(late, f.writer.s.close(), f.letGo())
}

func (f *File) letGo() (err error) {
	if f.db != nil {
		err = f.db.Close()
	}
	return errors.Join(err, f.owner.release())
}

// report gives Options.OnError an error that has no other recipient.
func (f *File) report(err error) {
	err = fmt.Errorf("durable/sqlite: %s: %w", f.path, err)
	if broken := engine.Shielded(func() error { f.options.OnError(err); return nil }); broken != nil {
		slog.Default().Error("durable/sqlite: Options.OnError has panicked", "panic", broken, "error", err)
	}
}

// post gives a message to run number n. If f.runs doesn't have the run, post adds it, unless the file is being closed.
func (f *File) post(n int64, msg message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.runs[n]
	if r == nil {
		if f.closing {
			return
		}
		r = &run{f: f, n: n, slot: -1}
		f.runs[n] = r
		if len(f.runs) > f.options.resident {
			f.alarms.crowded()
		}
	}
	r.post(msg) // while f.mu is locked, so that run.gone can't drop r before it has the message
}

func (f *File) ends() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closing
}
