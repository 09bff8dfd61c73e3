package wasm

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

type driver struct {
	in   *instance
	loop *tool.Manual
	busy bool
}

func (d *driver) newTool() {
	d.loop = tool.NewManual(tool.Options{OnError: func(error) {}})
	d.in.tool = d.loop
}

// run is ftngo_run. It returns 0 when nothing is left to do, 1 when the time is over, and -1 if it is running.
func (d *driver) run(limit time.Duration) int {
	if d.busy {
		return -1
	}
	d.busy = true
	defer func() { d.busy = false }()
	ctx := context.Background()
	if limit >= 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	for {
		for ctx.Err() == nil && d.loop.Iterate() {
		}
		_, queued := d.loop.Next()
		switch {
		case d.loop.Host().Live() == 0 && !queued:
			return 0
		case ctx.Err() != nil || d.loop.Wait(ctx) != nil && ctx.Err() != nil:
			return 1
		}
	}
}

func (d *driver) free() int {
	if d.busy {
		return -1
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = d.loop.Shutdown(ctx)
	return 0
}

// functions returns the functions of ftngo.h by their names.
func (d *driver) functions() map[string]func(a []uint64) {
	root := func(at uint64) *root { return d.in.find(uint32(at)).root }
	call := func(name string, a ...uint64) uint64 {
		for _, f := range imports {
			if f.name == name {
				var args [5]uint32
				for k := range a {
					args[k] = uint32(a[k])
				}
				return uint64(f.run(d.in, args[:]))
			}
		}
		panic(name)
	}
	return map[string]func(a []uint64){
		"ftngo_tool_new":  func(a []uint64) { d.newTool(); a[0] = 1 },
		"ftngo_tool_free": func(a []uint64) { a[0] = uint64(uint32(d.free())) },
		"ftngo_run": func(a []uint64) {
			a[0] = uint64(uint32(d.run(time.Duration(min(int64(a[1]), 1e6)) * time.Millisecond)))
		},
		"ftngo_iterate": func(a []uint64) {
			if d.busy {
				a[0] = 1<<32 - 1
			} else {
				a[0] = uint64(boolean(d.loop.Iterate()))
			}
		},
		"ftngo_root_new": func(a []uint64) { a[0] = uint64(d.in.newRoot().peer.at) },
		"ftngo_root_free": func(a []uint64) {
			call("free", a[1])
		},
		"ftngo_mutex_new":    func(a []uint64) { a[0] = call("mutex_new", a[0], a[1]) },
		"ftngo_throttle_new": func(a []uint64) { a[0] = call("throttle_new", a[0], a[1], a[2]) },
		"ftngo_limiter_new":  func(a []uint64) { a[0] = call("limiter_new", a[0], a[1], a[2], a[3], a[4]) },
		"ftngo_sync_free":    func(a []uint64) { call("sync_free", a[0]) },
		"ftngo_live":         func(a []uint64) { a[0] = uint64(len(d.in.peers) - d.in.spares); _ = root },
	}
}

// signatures are those of the functions: a letter for each parameter, and the result after a colon. i has 32 bits, l 64.
var signatures = map[string]string{
	"ftngo_tool_new": ":i", "ftngo_tool_free": "i:i", "ftngo_run": "il:i", "ftngo_iterate": "i:i", "ftngo_root_new": "i:i",
	"ftngo_root_free": "ii:", "ftngo_mutex_new": "il:i", "ftngo_throttle_new": "iil:i", "ftngo_limiter_new": "iliil:i",
	"ftngo_sync_free": "i:", "ftngo_live": ":l",
}

func (d *driver) provide(ctx context.Context, r wazero.Runtime) error {
	b := r.NewHostModuleBuilder("env")
	for name, f := range d.functions() {
		var params, results []api.ValueType
		to := &params
		for _, c := range signatures[name] {
			switch c {
			case ':':
				to = &results
			case 'i':
				*to = append(*to, api.ValueTypeI32)
			case 'l':
				*to = append(*to, api.ValueTypeI64)
			}
		}
		b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) { d.in.readNotes(); f(stack) }), params, results).Export(name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// drive runs a case of the C driver.
func drive(t *testing.T, binary []byte, name string) {
	var output bytes.Buffer
	d := new(driver)
	m, err := load(t.Context(), binary, Limits{WASI: Basic(), Output: &output, Trusted: true, Objects: 1 << 20}, d.provide)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	d.in = m.idle[0]
	d.newTool()
	at := d.in.lend(name)
	stack := []uint64{uint64(at)}
	d.in.occupy()
	defer d.in.vacate()
	d.in.deeper()
	err = d.in.returned(d.in.module.ExportedFunction("drive").CallWithStack(&d.in.ctx, stack))
	if err != nil || stack[0] != 0 {
		t.Errorf("%v, %d\n%s", err, stack[0], output.String())
	}
	t.Log(output.String())
}

func TestDriver(t *testing.T) {
	for source, cases := range map[string][]string{
		"cases": {
			"levels", "arguments", "dropped", "errors", "violations", "steps_in_handler", "branches", "state", "strings_are_copied",
			"stack", "timeouts", "nested_parallel", "external", "twice_is_violation", "loops", "cancel", "execute_twice",
			"instances", "guards", "layout", "driving", "shutdown", "million", "driven_already", "state_elsewhere", "freed_again",
			"void_variables", "stack_in_cleanup",
		},
		"kept":  {"in_order", "handles", "runs_out", "once", "late", "both", "cancelled", "unlocked", "freed"},
		"roots": {"again", "unused", "unexecuted", "instances", "last_step", "same_variable", "late_words"},
	} {
		binary := guestC(t, "../../cmd/libfutoin/testdata/"+source+".c", "testdata/driver.c", "-Dmain=driver_main",
			"-Itestdata/alone", "-I../../cmd/libfutoin", "-Wl,--allow-undefined")
		for _, name := range cases {
			t.Run(source+"/"+name, func(t *testing.T) { drive(t, binary, name) })
		}
	}
}
