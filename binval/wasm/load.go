package wasm

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/binval/internal/table"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// Module is a WebAssembly module whose exports are steps. It compiles the code once, and makes instances of it for runs. Any goroutine may
// use it.
type Module struct {
	limits   Limits
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	config   wazero.ModuleConfig
	guards   map[string]guard.Guard
	watch    watch
	notes    bool                  // whether the guest's code notes calls
	made     atomic.Uint32         // how many instances were made; the second one makes the image
	image    atomic.Pointer[image] // the memory of a fresh instance; nil while nothing is shared

	mu     sync.Mutex
	idle   []*instance
	used   int // instances in use
	closed bool
}

// The names by which guests and this package find each other.
const (
	importsOf   = "futoin"
	wasiOf      = "wasi_snapshot_preview1"
	callExport  = "futoin_call"
	startExport = "_initialize"
	memory      = "memory"
)

// Load compiles a module, checks that it imports nothing but the table and what limits allow, and makes the first instance, which calls
// its start functions.
//
// Errors: InvalidRequest for limits out of range and for a module that isn't valid, imports or exports the wrong things, or needs more
// memory than it may have; otherwise the error of its start function or its allocator. Load returns when the start function has ended;
// unless the module is trusted, the start function is stopped after Limits.Start. Compiling may take seconds for a module of megabytes.
// Load fails if ctx has ended when it is called; a later end of ctx stops nothing.
//
// A module that isn't trusted is refused if compiling it might take minutes: if a function has thousands of branches with hundreds of
// variables or loops in loops, or if there is too much code. Any goroutine may call Load.
func Load(ctx context.Context, binary []byte, limits Limits) (*Module, error) {
	return load(ctx, binary, limits, nil)
}

func load(ctx context.Context, binary []byte, limits Limits, more func(context.Context, wazero.Runtime) error) (*Module, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := &Module{limits: limits.filled()}
	if err := m.limits.err(); err != nil {
		return nil, err
	}
	m.watch.turn = m.limits.Turn
	m.guards = make(map[string]guard.Guard, len(limits.Guards))
	for name, g := range limits.Guards {
		m.guards[name] = table.Untyped(g)
	}
	err := m.compile(ctx, binary, more)
	if err == nil {
		err = m.first()
	}
	if err != nil {
		_ = m.Close()
		return nil, err
	}
	return m, nil
}

func (m *Module) compile(ctx context.Context, binary []byte, more func(context.Context, wazero.Runtime) error) (err error) {
	m.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithMemoryLimitPages(uint32(min(m.limits.Memory/page, mostPages))).
		WithCoreFeatures(api.CoreFeaturesV2).
		WithDebugInfoEnabled(false)) // debug information is about the code before it was rewritten
	if err = m.translate(ctx, binary); err != nil {
		return err
	}
	m.config = wazero.NewModuleConfig().WithName("").WithStartFunctions(startExport)
	if err := m.allow(more != nil); err != nil {
		return err
	}
	if err := m.provide(ctx); err != nil {
		return err
	}
	if more != nil {
		return more(ctx, m.runtime)
	}
	return nil
}

// translate compiles the code, and makes it use up fuel unless it is trusted. A module that isn't understood here is refused, because the
// runtime allocates room for as many things as a section claims to have.
func (m *Module) translate(ctx context.Context, binary []byte) (err error) {
	if !bytes.HasPrefix(binary, []byte("\x00asm")) {
		return invalid("the module isn't valid: invalid magic number")
	}
	out, found, ok := rewritten(binary, !m.limits.Trusted)
	if !ok {
		return invalid("the module isn't valid, has something that version 2 of WebAssembly hasn't, or tables for more than " +
			strconv.Itoa(mostElements) + " elements")
	}
	m.notes = found.notes
	if found.shares {
		return invalid("the module imports a table or a global variable, and there are only functions")
	}
	if !m.limits.Trusted {
		if found.effort > mostEffort {
			return invalid("compiling the module might take minutes: a function has too many branches for one, or for the number of its variables and loops, or there is too much code")
		}
	}
	if m.compiled, err = compiled(ctx, m.runtime, out); err != nil {
		return fault.Wrap(fault.InvalidRequest, "the module isn't valid", err)
	}
	if m.limits.Trusted {
		return nil
	}
	return provideFuel(ctx, m.runtime)
}

func compiled(ctx context.Context, r wazero.Runtime, binary []byte) (m wazero.CompiledModule, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("the runtime doesn't understand it: %v", what)
		}
	}()
	return r.CompileModule(ctx, binary)
}

// allow checks the imports and exports of the module. If other is set, imports from other modules pass.
func (m *Module) allow(other bool) error {
	if len(m.compiled.ImportedMemories()) > 0 {
		return invalid("the module imports a memory; it has to export its own as memory")
	}
	for _, f := range m.compiled.ImportedFunctions() {
		from, name, _ := f.Import()
		switch {
		case from == importsOf:
			if err := allowed(f, name); err != nil {
				return err
			}
		case other:
		case from == fuelOf && !m.limits.Trusted:
		case from == wasiOf && slices.Contains(m.limits.WASI, name):
		case from == wasiOf:
			return invalid("the module imports " + short(name) + " of WASI, which Limits.WASI doesn't name")
		default:
			return invalid("the module imports " + short(from) + "." + short(name) + ", which there isn't")
		}
	}
	if m.compiled.ExportedMemories()[memory] == nil {
		return invalid("the module doesn't export its memory as memory")
	}
	if start := m.compiled.ExportedFunctions()[startExport]; start != nil && len(start.ParamTypes())+len(start.ResultTypes()) > 0 {
		return invalid("the export " + startExport + " has parameters or results")
	}
	call := m.compiled.ExportedFunctions()[callExport]
	if call == nil || !slices.Equal(call.ParamTypes(), numbers(5)) || !slices.Equal(call.ResultTypes(), numbers(1)) {
		return invalid("the module doesn't export futoin_call with five numbers and a result, as the SDKs do")
	}
	return nil
}

func numbers(n int) []api.ValueType { return slices.Repeat([]api.ValueType{api.ValueTypeI32}, n) }

func (m *Module) provide(ctx context.Context) error {
	b := m.runtime.NewHostModuleBuilder(importsOf)
	for _, f := range imports {
		b.NewFunctionBuilder().WithGoFunction(f.call(), numbers(f.takes), f.results()).WithName(f.name).Export(f.name)
	}
	_, err := b.Instantiate(ctx)
	if err == nil && len(m.limits.WASI) > 0 {
		_, err = wasi_snapshot_preview1.Instantiate(experimental.WithFunctionListenerFactory(ctx, checked{}), m.runtime)
	}
	return err
}

func (m *Module) has(export string) error {
	f := m.compiled.ExportedFunctions()[export]
	switch {
	case f == nil:
		return invalid("the module exports no " + short(export))
	case !slices.Equal(f.ParamTypes(), numbers(3)) || len(f.ResultTypes()) > 0:
		return invalid("the export " + short(export) + " isn't a step, which has the parameters as, data and args")
	}
	return nil
}

// Close ends the use of the module: steps that need an instance fail with fault.InvalidRequest from now on. Instances in use serve their
// runs to the end. The memory is freed when the last one has been given back. Closing twice is no error. Any goroutine may call Close.
func (m *Module) Close() error {
	m.mu.Lock()
	m.closed = true
	idle := m.idle
	m.idle = nil
	last := m.used == 0
	m.mu.Unlock()
	for _, i := range idle {
		i.close()
	}
	if last {
		return m.free()
	}
	return nil
}

func (m *Module) free() error {
	m.image.Load().free()
	return m.runtime.Close(context.Background())
}

func invalid(info string) error { return fault.New(fault.InvalidRequest, info) }

func short(text string) string {
	const most = 500
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
