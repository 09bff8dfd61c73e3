package wasm

import (
	"context"
	"slices"

	"github.com/futoin-go/asyncsteps/binval/internal/table"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/tetratelabs/wazero/api"
)

// imported is a function that guests may import from the module futoin. Its parameters and results are numbers of 32 bits: pointers,
// sizes, functions of the guest's table, handles.
type imported struct {
	name  string
	takes int
	gives bool
	run   func(i *instance, a []uint32) uint32
}

// imports are the functions of the table of §2.7.2, and those for guards. A guest gives the host a function as a number, which the host
// passes to futoin_call.
var imports = []imported{
	{"add", 4, false, of(add)},
	{"parallel", 3, true, of(parallel)},
	{"stateVariable", 5, true, of(func(p *peer, a []uint32) uint32 { return p.stateVariable(a[1], a[2], a[3], a[4]) })},
	{"stack", 3, true, of(stack)},
	{"success", 2, false, of(success)},
	{"handle_error", 3, false, of(handleError)},
	{"setTimeout", 2, false, of(setTimeout)},
	{"setCancel", 3, false, of(setCancel)},
	{"waitExternal", 1, false, of(waitExternal)},
	{"loop", 4, false, of(loop)},
	{"repeat", 5, false, of(repeat)},
	{"breakLoop", 2, false, of(func(p *peer, a []uint32) uint32 { return leave(p, a[1], 11) })},
	{"continueLoop", 2, false, of(func(p *peer, a []uint32) uint32 { return leave(p, a[1], 12) })},
	{"execute", 3, false, of(execute)},
	{"cancel", 1, false, of(cancel)},
	{"addSync", 5, false, of(addSync)},
	{"rootId", 1, true, of(func(p *peer, _ []uint32) uint32 { return uint32(p.flow) })},
	{"isValid", 1, true, of(func(p *peer, _ []uint32) uint32 { return boolean(p.runs() || p.phase == going && p.done.Valid()) })},
	{"newInstance", 1, true, of(func(p *peer, _ []uint32) uint32 { return p.in.newRoot().peer.at })},
	{"free", 1, false, free},
	{"sched_immediate", 4, false, schedule(-1)},
	{"sched_deferred", 5, false, schedule(0)},
	{"sched_cancel", 2, false, schedCancel},
	{"sched_is_valid", 2, true, schedIsValid},
	{"is_same_thread", 1, true, of(func(p *peer, _ []uint32) uint32 { return boolean(p.in.tool.InLoop()) })},

	{"mutex_new", 2, true, func(i *instance, a []uint32) uint32 { return i.newSync(syncx.NewMutex(int(a[0]), queue(a[1]))) }},
	{"throttle_new", 3, true, func(i *instance, a []uint32) uint32 {
		return i.newSync(syncx.NewThrottle(int(a[0]), ms(a[1]), queue(a[2])))
	}},
	{"limiter_new", 5, true, limiter},
	{"guard", 1, true, func(i *instance, a []uint32) uint32 { return i.namedSync(i.text(a[0])) }},
	{"lock", 2, false, of(lock)},
	{"unlock", 2, false, of(unlock)},
	{"sync_free", 1, false, func(i *instance, a []uint32) uint32 { i.freeSync(a[0]); return 0 }},
}

// allowed returns an error unless guests may import a function called name, with the parameters and results of f.
func allowed(f api.FunctionDefinition, name string) error {
	for _, own := range imports {
		if own.name != name {
			continue
		}
		if !slices.Equal(f.ParamTypes(), numbers(own.takes)) || !slices.Equal(f.ResultTypes(), own.results()) {
			return invalid("the module imports " + importsOf + "." + name + " with other parameters or results")
		}
		return nil
	}
	return invalid("the module imports " + importsOf + "." + short(name) + ", which there isn't")
}

func (f imported) results() []api.ValueType {
	if f.gives {
		return numbers(1)
	}
	return nil
}

// call returns f as a function of the type that the runtime calls.
func (f imported) call() api.GoFunc {
	return func(ctx context.Context, stack []uint64) {
		c, ok := ctx.(*guestContext)
		if !ok || c.in.tool == nil {
			refuse(fault.InternalError, "the guest has called "+f.name+" of the table while no step of it runs")
		}
		i := c.in
		i.check()
		i.readNotes()
		args := &i.stacks.args[i.depth]
		for k := range f.takes {
			args[k] = uint32(stack[k])
		}
		result := f.run(i, args[:])
		if f.gives {
			stack[0] = uint64(result)
		}
	}
}

func of(run func(p *peer, a []uint32) uint32) func(*instance, []uint32) uint32 {
	return func(i *instance, a []uint32) uint32 { return run(i.find(a[0]), a) }
}

// adds returns the step to which the pointer adds steps, or nil after a violation. It counts an object for the step that the caller adds.
func (p *peer) adds(index uint) *dyn.Step {
	if !p.runs() {
		p.misuse(index)
		return nil
	}
	p.in.hold()
	p.added++
	return p.target()
}

func add(p *peer, a []uint32) uint32 {
	if s := p.adds(0); s != nil {
		s.Add((*function)(p.in), dyn.Code{Run: uintptr(a[2]), Catch: uintptr(a[3]), Data: uintptr(a[1])})
	}
	return 0
}

func parallel(p *peer, a []uint32) uint32 {
	q := p.in.newPeer()
	q.flow, q.within = p.flow, p
	s := p.adds(1)
	q.phase = building
	if s == nil {
		q.Leave() // the guest gets a void pointer, rather than NULL
		return q.at
	}
	q.step = s.Parallel((*catcher)(p.in), dyn.Code{Catch: uintptr(a[2]), Data: uintptr(a[1])})
	q.step.SetPeer(q)
	p.parallel = append(p.parallel, q)
	return q.at
}

// stack returns memory even if the call is a violation, though without the cleanup, because wrappers of the table write to the memory
// without a check.
func stack(p *peer, a []uint32) uint32 {
	may := p.runs() || p.phase == hooking || p.phase == going && (p.done.Valid() || p.root != nil && p.root.run.Live())
	b := block{at: p.in.alloc(a[1]), cleanup: a[2]}
	if !may {
		b.cleanup = 0
	}
	p.stack = append(p.stack, b)
	if !may {
		p.misuse(3)
	}
	return b.at
}

func success(p *peer, a []uint32) uint32 {
	args := p.in.takeArgs(a[1])
	switch {
	case p.runs():
		p.target().Success(&args)
	case p.phase == going:
		p.complete(&args, nil)
	default:
		dyn.Drop(p.in.tool.Host(), &args)
		p.misuse(4)
	}
	return 0
}

func handleError(p *peer, a []uint32) uint32 {
	code, info := fault.Code(p.in.text(a[1])), p.in.infoAt(a[2])
	switch {
	case p.runs():
		p.target().Fail(table.Raised(code, info, p.cause))
	case p.phase == going:
		p.complete(nil, fault.New(code, info))
	default:
		p.misuse(5)
	}
	return 0
}

func setTimeout(p *peer, a []uint32) uint32 {
	if p.phase != executing {
		p.misuse(6)
		return 0
	}
	p.step.SetTimeout(ms(a[1]))
	p.opened()
	return 0
}

func setCancel(p *peer, a []uint32) uint32 {
	data, hook, i := a[1], a[2], p.in
	switch {
	case p.phase != executing:
		p.misuse(7)
		return 0
	case hook == 0:
		p.step.SetCancel(nil)
	default:
		p.step.SetCancel(func() {
			if i.dead != nil {
				return // the step has failed, because the instance died
			}
			p.phase = hooking
			err := i.callback(p, func() { i.must(i.guest(opTwo, hook, p.at, data, 0)) })
			p.phase = going
			if err != nil {
				i.tool.Host().Report(err)
			}
		})
	}
	p.opened()
	return 0
}

func waitExternal(p *peer, _ []uint32) uint32 {
	if p.phase != executing {
		p.misuse(8)
		return 0
	}
	p.step.Wait()
	p.opened()
	return 0
}

func loop(p *peer, a []uint32) uint32 {
	label := p.in.text(a[3])
	if s := p.adds(9); s != nil {
		s.Loop((*turn)(p.in), dyn.Code{Run: uintptr(a[2]), Data: uintptr(a[1])}, label)
	}
	return 0
}

func repeat(p *peer, a []uint32) uint32 {
	label := p.in.text(a[4])
	if s := p.adds(10); s != nil {
		s.Repeat((*counted)(p.in), dyn.Code{Run: uintptr(a[3]), Data: uintptr(a[1])}, uint64(a[2]), label)
	}
	return 0
}

// leave implements breakLoop and continueLoop.
func leave(p *peer, label uint32, index uint) uint32 {
	text, again := p.in.text(label), index == 12
	switch {
	case p.runs():
		p.target().Leave(text, again)
	case p.phase == going:
		p.complete(nil, dyn.Leaving(text, again))
	default:
		p.misuse(index)
	}
	return 0
}

func execute(p *peer, a []uint32) uint32 {
	if p.root == nil {
		p.misuse(13)
		return 0
	}
	p.root.execute(a[1], a[2])
	return 0
}

func cancel(p *peer, _ []uint32) uint32 {
	if p.root == nil {
		p.misuse(14)
		return 0
	}
	p.root.run.Cancel(nil)
	return 0
}

func addSync(p *peer, a []uint32) uint32 {
	g := p.in.guardOf(a[1])
	if s := p.adds(15); s != nil {
		s.Sync(g, (*function)(p.in), dyn.Code{Run: uintptr(a[3]), Catch: uintptr(a[4]), Data: uintptr(a[2])})
	}
	return 0
}

func free(i *instance, a []uint32) uint32 {
	if a[0] == 0 {
		return 0
	}
	if p := i.find(a[0]); p.root == nil || !p.root.free() {
		p.misuse(19)
	}
	return 0
}

// schedule returns the function sched_immediate of the table or, if d isn't negative, sched_deferred. That function stores the handle at
// the address in its first parameter, as a C function that returns a struct does.
func schedule(d int) func(i *instance, a []uint32) uint32 {
	return func(i *instance, a []uint32) uint32 {
		at := a[0]
		i.find(a[1])
		i.bytes(at, handleSize)
		delay, rest := ms(0)-1, a[2:]
		if d >= 0 {
			delay, rest = ms(a[2]), a[3:]
		}
		number := i.schedule(delay, rest[0], rest[1])
		i.store(at, boolean(number != 0)) // not NULL: see rule B8
		i.store(at+4, boolean(number != 0))
		i.store(at+8, number)
		return 0
	}
}

func schedCancel(i *instance, a []uint32) uint32 {
	if a[1] != 0 {
		i.cancelTask(i.load(a[1] + 8))
		clear(i.bytes(a[1], handleSize))
	}
	return 0
}

func schedIsValid(i *instance, a []uint32) uint32 {
	return boolean(a[1] != 0 && i.tasks[i.load(a[1]+8)] != nil)
}

func limiter(i *instance, a []uint32) uint32 {
	if a[0] == 0 || a[2] == 0 || a[3] == 0 {
		return 0 // syncx.Limits would take zeros for its defaults
	}
	return i.newSync(syncx.NewLimiter(syncx.Limits{
		Concurrent: int(a[0]), MaxQueue: queue(a[1]), Rate: int(a[2]), Period: ms(a[3]), Burst: queue(a[4]),
	}))
}

func boolean(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
