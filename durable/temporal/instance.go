package temporal

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/tool"
)

// instance is a run inside of a workflow. The workflow's coroutine uses it or, while the coroutine waits, the goroutine of turns
// does.
type instance struct {
	definition

	outer  workflow.Context // ends when the workflow is cancelled
	values workflow.Context // a context with the values of outer that caches them
	ctx    workflow.Context // has the values of outer, but doesn't end with outer, because hooks and cleanups of the plan go on
	loop   *tool.Manual
	began  time.Time
	at     time.Duration // the loop's clock, which stands still during a turn
	report func(error)   // logs errors that go to no step
	fatal  error         // why the task of the workflow has to fail; that doesn't end the run
	apart  func()        // the method value turns, made once
	turned chan bool     // gets a value when the goroutine that runs apart ends
	bears  *patience     // how long to wait for the goroutine that runs apart

	id      string
	carried carried
	calls   engine.Counter
	works   []*work
	later   []*work // works that have to wait until fewer are under way, see mostPending
	pending int     // works[:pending] are known to have no results yet
	ended   []*work // works whose results deliver gives to their steps
	spare   []*work // works to be used again: see enter
	boxes   boxes
	alarm   alarm
	stands  engine.Stands
	shown   string          // the value of the search attribute
	warned  int             // the length of the history when lengthy last warned
	former  map[string]bool // names of the patches whose former part the run executes

	cancel    func(cause error) bool
	cancelled bool
	over      bool
	out       reflect.Value
	err       error
}

// carried is passed to a child workflow, and from a run to its next beginning.
type carried struct {
	Of         string       `json:"of,omitempty"` // the version of a child workflow's body in the plan around it
	Generation int          `json:"generation,omitempty"`
	Signals    []keptSignal `json:"signals,omitempty"`
}

// entry returns the function that Temporal calls to run the whole plan of d. entry knows the types of the plan, so package reflect needn't
// make the function.
func entry[In, Out any](d definition) func(workflow.Context, In, carried) (Out, error) {
	return func(ctx workflow.Context, in In, more carried) (out Out, err error) {
		x, err := d.begin(ctx, d.Root, reflect.ValueOf(&in).Elem(), more)
		if err == nil {
			err = x.drive()
		}
		if err == nil {
			err = x.result(d.Name, reflect.ValueOf(&out).Elem())
		}
		return out, err
	}
}

// workflow returns the function that Temporal calls to run the plan of k, a named flow.Call.
func (d definition) workflow(k engine.Known) any {
	body := k.Body
	errorType := reflect.TypeFor[error]()
	typ := reflect.FuncOf(
		[]reflect.Type{reflect.TypeFor[workflow.Context](), body.In, reflect.TypeFor[carried]()},
		[]reflect.Type{body.Out, errorType}, false)
	return reflect.MakeFunc(typ, func(args []reflect.Value) []reflect.Value {
		ctx, _ := reflect.TypeAssert[workflow.Context](args[0])
		more, _ := reflect.TypeAssert[carried](args[2])
		out := reflect.New(body.Out).Elem()
		if more.Of != "" && more.Of != k.Version {
			panic("durable: " + k.Refusal(more.Of)) // fails the task, which another worker takes over
		}
		x, err := d.begin(ctx, body, args[1], more)
		if err == nil {
			err = x.drive()
		}
		if err == nil {
			err = x.result(k.Name, out)
		}
		failure := reflect.New(errorType).Elem()
		if err != nil {
			failure.Set(reflect.ValueOf(err))
		}
		return []reflect.Value{out, failure}
	}).Interface()
}

func (d definition) begin(ctx workflow.Context, body *tool.Body, in reflect.Value, more carried) (*instance, error) {
	x := d.open(ctx)
	x.carried = more
	if err := x.compare(); err != nil {
		return nil, err
	}
	if err := x.answer(); err != nil {
		return nil, err
	}
	run := observe.With(engine.With(context.Background(), x), &x.stands)
	x.cancel = body.Start(run, x.loop, in, x.end)
	return x, nil
}

// open makes a run with a loop of its own, whose clock is set from the clock of the workflow.
func (d definition) open(ctx workflow.Context) *instance {
	values := remember(ctx)
	free, _ := workflow.NewDisconnectedContext(values)
	x := &instance{
		definition: d, outer: ctx, values: values, ctx: free, began: workflow.Now(ctx),
		id: workflow.GetInfo(ctx).WorkflowExecution.ID, calls: make(engine.Counter, len(d.Known)), former: make(map[string]bool),
		turned: make(chan bool, 1), // buffered, because nobody receives when the patience has ended
		bears:  newPatience(workflow.GetInfo(ctx)),
	}
	x.apart = x.turns
	x.report = func(err error) {
		log := workflow.GetLogger(ctx).Error
		if tool.Level(err) == slog.LevelWarn {
			log = workflow.GetLogger(ctx).Warn
		}
		log("durable: "+d.Name, "error", err)
	}
	x.loop = tool.NewManual(tool.Options{Burst: engine.Burst, Grace: d.Grace, OnError: func(err error) { x.report(err) }, Host: []tool.HostOption{
		tool.WithClock(func() time.Duration { return x.at }), tool.WithStart(x.began), tool.WithRand(x.random()),
		tool.WithWork(x.take), tool.WithDeterministic(), tool.WithAt(x.bears.at),
	}})
	x.stands.Host, x.stands.Works = x.loop.Host(), x
	return x
}

// compare panics if the run can't go on with the plans of this program: see engine.Definition.Changed. It returns an error if it can't
// read the plans.
func (x *instance) compare() error {
	own, err := x.Stored()
	if err != nil {
		return x.encode(err)
	}
	stored := workflow.SideEffect(x.ctx, func(workflow.Context) any { return own })
	var same struct { // without the plans
		Digest string `json:"digest"`
		Calls  string `json:"calls"`
	}
	if err = stored.Get(&same); err != nil {
		return x.encode(err)
	}
	if own.Same(engine.Record{Digest: same.Digest, Calls: same.Calls}) {
		return nil
	}
	var first engine.Record
	if err = stored.Get(&first); err != nil {
		return x.encode(err)
	}
	if what := x.Changed(own, first); what != "" {
		panic("durable: workflow " + x.Name + ": " + what)
	}
	return nil
}

// drive runs turns of the loop until the run has ended. In between it waits for activities, timers and signals.
func (x *instance) drive() error {
	ready, deliver := x.ready, x.deliver // method values, made once
	for {
		if err := x.iterate(); err != nil {
			return err
		}
		if x.fatal != nil {
			panic(x.fatal)
		}
		if x.over {
			x.alarm.stop()
			return nil
		}
		if x.boxes.hand(x) || x.arm() {
			continue
		}
		if err := x.standing(); err != nil {
			return err
		}
		if err := workflow.Await(x.ctx, ready); err != nil {
			return err
		}
		x.collect(deliver)
		x.lengthy()
	}
}

// long is the length of a history, in events, at which a run begins to warn. By default servers terminate a run at 51200 events, and
// nothing is undone then.
const long = 10_000

// lengthy logs that the history of the run has become long: at the length long, and again whenever the length has doubled.
func (x *instance) lengthy() {
	events := workflow.GetInfo(x.ctx).GetCurrentHistoryLength()
	if events < max(long, 2*x.warned) {
		return
	}
	x.warned = events
	workflow.GetLogger(x.ctx).Warn("durable: the history of a run has become long: let its plan begin anew with durable.Again, or put parts of it in named calls",
		"workflow", x.Name, "run", x.id, "events", events, "step", x.stands.Text())
}

// iterate runs turns of the loop until nothing is queued. They have a goroutine of their own: otherwise a step that calls
// runtime.Goexit would end the coroutine of the workflow, and the run wouldn't end. Turns that take too long are left behind: see late.
func (x *instance) iterate() error {
	for left := true; left; {
		go x.apart()
		var late bool
		if left, late = x.bears.wait(x.ctx, x.turned); late {
			return x.late()
		}
	}
	return nil
}

// late returns the error that ends a run whose turn takes too long. In a replay, where the code may be slower than at first, late
// panics instead, which fails only the task.
func (x *instance) late() error {
	err := x.bears.exceeded()
	if workflow.IsReplaying(x.ctx) {
		panic(err)
	}
	return x.encode(err)
}

// turns runs turns of the loop, and then tells iterate whether there may be more.
func (x *instance) turns() {
	left := true
	defer func() {
		if v := recover(); v != nil { // a defect of the machine, or a panic of the SDK, fails the task of the workflow
			x.fatal, left = &tool.PanicError{Value: v}, false
		}
		x.turned <- left
	}()
	for x.loop.Iterate() {
	}
	left = false
}

// ready reports whether there is a result, a timer, a signal or a cancel for the loop.
func (x *instance) ready() bool {
	if x.alarm.ready() || !x.cancelled && x.outer.Err() != nil || x.boxes.ready() {
		return true
	}
	for ; x.pending < len(x.works); x.pending++ {
		if x.works[x.pending].future.IsReady() {
			return true
		}
	}
	x.pending = 0 // from here on the workflow waits, and any work may get a result
	return false
}

// collect moves the clock, queues deliver on the loop if results have arrived, and cancels the run if the workflow was cancelled.
func (x *instance) collect(deliver func()) {
	x.at = max(x.at, workflow.Now(x.ctx).Sub(x.began), x.alarm.passed())
	waiting := x.works[:x.pending]
	for _, w := range x.works[x.pending:] {
		if w.future.IsReady() {
			x.ended = append(x.ended, w)
		} else {
			waiting = append(waiting, w)
		}
	}
	clear(x.works[len(waiting):])
	x.works, x.pending = waiting, len(waiting)
	if len(x.ended) > 0 {
		x.queue(deliver)
	}
	if !x.cancelled && x.outer.Err() != nil {
		x.cancelled = true
		x.cancel(engine.ErrCancelled)
	}
}

func (x *instance) queue(fn func()) {
	if _, err := x.loop.Immediate(fn); err != nil {
		x.fatal = err
	}
}

func (x *instance) end(out reflect.Value, err error) { x.out, x.err, x.over = out, err, true }

// result stores the result of the run in out, or returns the run's error. If the run begins anew, it returns the SDK's ContinueAsNewError.
func (x *instance) result(name string, out reflect.Value) error {
	in, more := x.Next(x.out)
	switch {
	case x.err != nil:
	case more && x.outer.Err() != nil: // after a new beginning the run wouldn't know of the cancel
		x.err, x.cancelled = engine.ErrCancelled, true
	case more:
		x.err = x.check("the input of the next beginning", in)
	default:
		x.err = x.check("the result of the run", x.out)
	}
	if x.err != nil || !more {
		x.unheard()
	}
	switch {
	case x.err == nil && more:
		return workflow.NewContinueAsNewError(x.ctx, name, in.Interface(), x.carry())
	case x.err == nil:
		out.Set(x.out)
		return nil
	case x.cancelled && engine.Cancelled(x.err):
		return temporal.NewCanceledError(engine.Text(x.err), x.wire(x.err))
	default:
		return x.encode(x.err)
	}
}

// random returns a source of random numbers that gives the same numbers whenever the run is repeated.
func (x *instance) random() func() uint64 {
	info := workflow.GetInfo(x.ctx)
	run := info.OriginalRunID
	if run == "" {
		run = info.WorkflowExecution.RunID
	}
	sum := sha256.Sum256([]byte(x.id + "/" + run))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:]))).Uint64
}
