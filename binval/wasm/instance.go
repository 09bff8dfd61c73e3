package wasm

import (
	"context"
	"sync/atomic"
	"time"
	"weak"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// instance is one instance of a module: its memory, and what its steps hold. A run of an instance is one execution of a Step. During a run
// the goroutine of its loop uses the instance; others use only the atomic fields.
type instance struct {
	mod    *Module
	module api.Module
	mem    api.Memory
	linear linear
	ctx    guestContext
	call   atomic.Uint64         // incremented when a call that the watch sees begins, and when it ends: odd during a call
	order  atomic.Pointer[order] // the last order to stop; nil: there was none

	tool   tool.Tool            // nil while no run has the instance
	until  context.Context      // the context that Module.take was called with; nil while no run has the instance
	sight  *sight               // the watch of the run; nil while no run has the instance
	calm   func() bool          // keeps the end of until from urging the guest; nil unless the guest may hold its goroutine
	dead   error                // why the instance can't be used any more; nil if it can
	busy   int32                // how many calls of occupy haven't been followed by vacate yet
	depth  int32                // how many nested calls of the guest are being executed
	stacks *stacks              // nil unless the guest is being called
	idle   weak.Pointer[stacks] // the stacks of the last call, unless collected
	here   *peer                // the peer whose code runs; nil if none does
	turns  int                  // number of calls of the guest's code by the loop that haven't returned

	api, syncs, types uint32 // addresses in the guest's memory
	notes             uint32 // the address of the notes; 0: there are none
	noting            *peer  // the peer whose calls are noted; nil if none are. It may be left over from the last call of the guest
	peers             []*peer
	free, lastFree    *peer
	spares            int // how many peers are free
	room              int // how many peers of the last block of memory were never used
	block             uint32

	objects int // number of objects, see Limits.Objects
	vars    map[string]*variable
	info    uint32 // the text of error_info, in the guest's memory; 0: none
	roots   map[*root]struct{}
	tasks   map[uint32]*task
	spare   *task // a task that has been called, for reuse; nil if there is none
	tickets uint32
	guards  map[uint32]*latch
	named   map[string]*latch // the guards that the guest has found, by their names
	holds   map[holder]*hold
	lents   map[*lent]struct{}
	scratch []uint32
	leaving bool // the run has ended; the instance is given back when its roots have ended too
	tidying bool // clean is being executed
	slot    byte // index in warm of the instance's stacks
}

// guestContext is the context of all calls of the guest. Functions that the guest imports find the instance by it.
type guestContext struct {
	context.Context
	in     *instance
	making bool // the instance is being made: Context has the allocator of its memory
}

// Value implements context.Context. The runtime asks for a value at each call, and needs an answer only while the instance is being made.
func (c *guestContext) Value(key any) any {
	if !c.making {
		return nil
	}
	return c.Context.Value(key)
}

// stacks hold the functions and parameters of calls of the guest. The runtime gives each function 10 KB for its stack, so an instance that
// waits doesn't keep them beyond the next garbage collections: see warm.
type stacks struct {
	in      *instance
	calls   [deepest]call          // of futoin_call, by depth
	args    [deepest + 1][5]uint32 // the arguments of functions of the table, by the depth of the call that calls them
	noted   [4]uint32              // the arguments of a noted call
	entries map[string]*call
}

// call holds a function and its parameters, for calls at one depth: a function of the runtime can't be called again before it has returned.
type call struct {
	f     api.Function
	stack [5]uint64
}

// What futoin_call is asked to do.
const (
	opTables = iota // return the address of the tables, or 0
	opOne           // call f(a)
	opTwo           // call f(a, b)
	opThree         // call f(a, b, c)
	opMake          // return f(a)
	opAlloc         // return a bytes of memory, aligned to 16 bytes
	opFree          // free the memory at a
)

// newInstance makes an instance and calls its start functions. These are stopped when ctx ends or Limits.Start has passed; those of a
// trusted module only if they call the host.
func (m *Module) newInstance(ctx context.Context) (*instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	i := &instance{mod: m, linear: linear{image: m.image.Load()}, slot: nextSlot()}
	i.ctx = guestContext{experimental.WithMemoryAllocator(context.Background(), &i.linear), i, true}
	i.occupy()
	defer i.vacate()
	call := i.call.Load()
	limit := time.AfterFunc(m.limits.Start, func() {
		i.stop(call, fault.New(fault.Timeout, "making an instance took longer than "+m.limits.Start.String()))
	})
	defer limit.Stop()
	defer context.AfterFunc(ctx, func() { i.stop(call, context.Cause(ctx)) })()
	out := &output{i, m.limits.Output}
	config := m.config.WithStdout(out).WithStderr(out).WithRandSource(&random{in: i})
	module, err := m.runtime.InstantiateModule(&i.ctx, m.compiled, config)
	i.ctx.Context, i.ctx.making = context.Background(), false
	if err != nil {
		i.linear.free()
		return nil, fault.Wrap(fault.CodeOf(i.reason(err)), "the module didn't start", i.reason(err))
	}
	i.module, i.mem = module, module.Memory()
	if err := i.settle(); err != nil {
		i.close()
		return nil, fault.Wrap(fault.CodeOf(err), "the module didn't start", err)
	}
	return i, nil
}

// settle does what all instances of a module do in the same way before their first run. That includes the first calls of the guest's
// allocator, so that instances share the memory to which these calls write.
func (i *instance) settle() error {
	if err := i.findTables(); err != nil {
		return err
	}
	if err := i.makeRoom(); err != nil {
		return err
	}
	if err := i.layNotes(); err != nil {
		return err
	}
	if i.mod.made.Add(1) == 2 { // not for the first one: with Limits.Reuse there is often no other
		i.mod.image.Store(imageOf(i.linear.whole))
	}
	return i.linear.share()
}

func (i *instance) findTables() error {
	at, err := i.guest(opTables, 0, 0, 0, 0)
	if err != nil || at == 0 {
		return err
	}
	var ok bool
	if i.api, ok = i.mem.ReadUint32Le(at); ok {
		i.syncs, ok = i.mem.ReadUint32Le(at + 4)
	}
	if !ok {
		return invalid("the tables of the module are outside of its memory")
	}
	i.types = at + 8
	return nil
}

// begin gives the instance to a run on t, until give takes it back: see Module.take.
func (i *instance) begin(ctx context.Context, t tool.Tool, held bool) {
	w := &i.mod.watch
	s := w.begin(i, held || i.mod.limits.Trusted)
	i.tool, i.until, i.sight = t, ctx, s
	if held {
		i.calm = context.AfterFunc(ctx, func() { w.urge(s) })
	}
}

// close ends the use of the instance and gives its memory back. If the guest is being called, the memory stays until the instance is
// garbage.
func (i *instance) close() {
	_ = i.module.Close(context.Background())
	if i.dead == nil {
		i.dead = errClosed
	}
	i.mem = nil
	i.cool()
	if i.depth == 0 {
		i.linear.free()
	}
}

var (
	errClosed   = fault.New(fault.InternalError, "the instance of the guest was closed")
	errNoMemory = fault.New(fault.DefenseRejected, "the allocator of the guest has no memory left")
)

// deepest is how deep calls of the guest may be nested, with functions of the host between them. Each of these calls has a stack of its
// own, which the runtime doubles, as needed, until it has 84 MB.
const deepest = 8

func (i *instance) guest(op, f, a, b, c uint32) (uint32, error) {
	if i.dead != nil {
		return 0, i.dead
	}
	i.occupy()
	defer i.vacate()
	outer := i.noting
	if outer != nil {
		i.closeNotes()
	}
	k := i.toGuest(op, f, a, b, c)
	err := i.returned(k.f.CallWithStack(&i.ctx, k.stack[:]))
	if outer != nil && i.depth > 0 && err == nil {
		i.openNotes(outer)
	}
	return uint32(k.stack[0]), err
}

func (i *instance) toGuest(op, f, a, b, c uint32) *call {
	k := i.deeper()
	if k.f == nil {
		k.f = i.module.ExportedFunction(callExport)
	}
	// Not as an array literal, which would be built on the stack and then copied.
	s := &k.stack
	s[0], s[1], s[2], s[3], s[4] = uint64(op), uint64(f), uint64(a), uint64(b), uint64(c)
	return k
}

func (i *instance) toEntry(export string, as, args uint32) *call {
	s := i.lively()
	k := s.entries[export]
	if k == nil || i.depth > 0 {
		k = &call{f: i.module.ExportedFunction(export)}
	}
	if i.depth == 0 {
		if s.entries == nil {
			s.entries = make(map[string]*call)
		}
		s.entries[export] = k
	}
	k.stack[0], k.stack[1], k.stack[2] = uint64(as), 0, uint64(args) // a step has three parameters; the rest of the stack is for futoin_call
	i.deeper()
	return k
}

// deeper begins a call, and returns where to put the parameters of futoin_call at the new depth. It panics if the instance is dead, or the
// call would be too deep.
func (i *instance) deeper() *call {
	if i.dead != nil {
		panic(i.dead)
	}
	if i.depth >= deepest {
		refuse(fault.InternalError, "the guest and the host call each other without end")
	}
	s := i.lively()
	k := &s.calls[i.depth]
	i.depth++
	return k
}

// returned ends a call, for which the runtime has returned err. After an error the instance is dead.
func (i *instance) returned(err error) error {
	i.depth--
	if i.depth == 0 {
		i.stacks = nil
	}
	if err != nil {
		i.die(i.reason(err))
		return i.dead
	}
	return nil
}

// lively returns the stacks of the call that is being executed, or is about to be.
func (i *instance) lively() *stacks {
	if i.stacks == nil {
		i.stacks = i.lastStacks()
	}
	return i.stacks
}

// must returns the result of a call of the guest. It panics if the call has failed: in a function that the guest has called, this makes the
// call of the guest fail too.
func (i *instance) must(result uint32, err error) uint32 {
	if err != nil {
		panic(err)
	}
	return result
}

// alloc returns zeroed memory of the guest, which counts as an object. It panics if the guest has no memory or no objects left.
func (i *instance) alloc(size uint32) uint32 {
	i.hold()
	at := i.must(i.guest(opAlloc, 0, size, 0, 0))
	if at == 0 {
		panic(errNoMemory)
	}
	b := i.bytes(at, size)
	clear(b)
	return at
}

func (i *instance) release(at uint32) {
	i.drop()
	i.must(i.guest(opFree, 0, at, 0, 0))
}

// hold counts one more object. It panics if that would exceed Limits.Objects.
func (i *instance) hold() {
	if i.objects >= i.mod.limits.Objects {
		refuse(fault.DefenseRejected, "the guest has as many objects as it may have")
	}
	i.objects++
}

func (i *instance) drop() { i.objects-- }

// die makes the instance unusable. Its steps that wait fail, and what it has started is cancelled.
func (i *instance) die(err error) {
	if i.dead != nil {
		return
	}
	i.dead = err
	for _, p := range i.peers {
		p.done.Fail(err)
	}
	for r := range i.roots {
		r.run.Cancel(err)
	}
	i.cancelTasks()
}

// shielded calls f, which may call the guest, and returns the error that has ended f. Inside of a call of the guest it panics with the
// error instead, which ends that call.
func (i *instance) shielded(f func()) (err error) {
	i.occupy()
	defer i.shield(&err)
	f()
	return nil
}

// shield is deferred after occupy, and calls vacate. A panic outside of calls of the guest becomes the error.
func (i *instance) shield(err *error) {
	if r := recover(); r != nil {
		*err = i.failed(r)
	}
	i.vacate()
}

// failed makes the instance unusable because code that may call the guest has panicked with r, and returns the error. It panics with r if
// r isn't an error, or inside of a call of the guest, which has to end as well.
func (i *instance) failed(r any) error {
	e, ok := r.(error)
	if !ok || i.depth > 0 {
		i.vacate()
		panic(r)
	}
	i.die(e)
	return i.dead
}
