package wasm

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
)

// as is the first parameter of a step: its own pointer.
var as = local(0)

// The step of each guest fails, and the next run of the module succeeds.
func TestHostile(t *testing.T) {
	huge := number(-16)
	for _, c := range []struct {
		name string
		asm  asm
		body []byte
		code fault.Code
		trap bool
		info string
	}{
		{"unreachable", asm{}, unreachable, fault.InternalError, true, "unreachable in run"},
		{"reads out of bounds", asm{}, concat(huge, loadWord, drop), fault.InternalError, true, "out of bounds memory access in run"},
		{"writes out of bounds", asm{}, concat(huge, number(1), storeWord), fault.InternalError, true, "out of bounds memory access in run"},
		{"calls no function", asm{}, concat(local(0), number(9999), []byte{0x11, 1, 0}), fault.InternalError, true, "invalid table access"},
		{"recurses", asm{code: []defined{{"deeper", 0, false, invoke("deeper")}}}, invoke("deeper"), fault.InternalError, true, "stack overflow"},
		{"divides by zero", asm{}, concat(number(1), number(0), []byte{0x6d}, drop), fault.InternalError, true, "integer divide by zero in run"},
		{"spins", asm{}, forever, fault.Timeout, false, "longer than 20ms"},
		{
			"spins with calls", asm{code: []defined{{"nothing", 0, false, nil}}},
			[]byte("\x03\x40\x10{nothing}\x0c\x00\x0b"), fault.Timeout, false, "longer than 20ms",
		},
		{
			"calls itself twice, sixty deep", asm{code: []defined{{"twice", 1, false, concat(
				local(0), []byte{0x45, 0x04, 0x40, 0x0f, 0x0b}, local(0), number(1), []byte{0x6b}, invoke("twice"), local(0), number(1), []byte{0x6b}, invoke("twice"))}}},
			concat(number(60), invoke("twice")), fault.Timeout, false, "longer than 20ms",
		},
		{
			"calls the host and is called twice, again and again", asm{
				imports: []string{"futoin.stateVariable/5>"}, table: []string{"again"}, data: "name\x00",
				code: []defined{{"again", 1, true, concat(askVariable(local(0)), drop, askVariable(local(0)))}},
			}, concat(askVariable(as), drop), fault.InternalError, false, "without end",
		},
		{"no pointer of steps", asm{imports: []string{"futoin.waitExternal/1"}}, concat(number(4096), invoke("waitExternal")), fault.InternalError, false, "isn't one of steps"},
		{"NULL as steps", asm{imports: []string{"futoin.waitExternal/1"}}, concat(number(0), invoke("waitExternal")), fault.InternalError, false, "isn't one of steps"},
		{"steps outside of the memory", asm{imports: []string{"futoin.waitExternal/1"}}, concat(huge, invoke("waitExternal")), fault.InternalError, true, "out of bounds memory access in futoin.waitExternal < run"},
		{"values outside of the memory", asm{imports: []string{"futoin.success/2"}}, concat(as, huge, invoke("success")), fault.InternalError, false, "outside of its memory"},
		{
			"a type outside of the memory", asm{imports: []string{"futoin.success/2"}},
			concat(number(2048), huge, storeWord, as, number(2048), invoke("success")), fault.InternalError, false, "outside of its memory",
		},
		{"a code outside of the memory", asm{imports: []string{"futoin.handle_error/3"}}, concat(as, huge, number(0), invoke("handle_error")), fault.InternalError, false, "outside of its memory"},
		{
			"a code without an end", asm{imports: []string{"futoin.handle_error/3"}, data: strings.Repeat("x", 5000)},
			concat(as, number(1024), number(0), invoke("handle_error")), fault.InternalError, false, "doesn't end",
		},
		{"a handle outside of the memory", asm{imports: []string{"futoin.sched_immediate/4"}}, concat(huge, as, number(0), number(1), invoke("sched_immediate")), fault.InternalError, false, "outside of its memory"},
		{"adds a function that there isn't", asm{imports: []string{"futoin.add/4"}}, concat(as, number(0), number(9999), number(0), invoke("add")), fault.InternalError, true, "invalid table access"},
		{"adds nothing", asm{imports: []string{"futoin.add/4"}}, concat(as, number(0), number(0), number(0), invoke("add")), fault.InternalError, false, "without code"},
		{"frees its step", asm{imports: []string{"futoin.free/1"}}, concat(as, invoke("free")), fault.InternalError, false, "called free"},
		{
			"frees a root twice", asm{imports: []string{"futoin.free/1", "futoin.newInstance/1>"}},
			concat(as, invoke("newInstance"), []byte{0x24, 0, 0x23, 0}, invoke("free"), []byte{0x23, 0}, invoke("free")), fault.InternalError, false, "called free",
		},
		{"executes its step", asm{imports: []string{"futoin.execute/3"}}, concat(as, number(0), number(0), invoke("execute")), fault.InternalError, false, "called execute"},
		{"succeeds twice", asm{imports: []string{"futoin.success/2"}}, concat(as, number(0), invoke("success"), as, number(0), invoke("success")), fault.InternalError, false, "after its completion"},
		{
			"adds without end", asm{imports: []string{"futoin.add/4"}},
			concat([]byte{0x03, 0x40}, as, number(0), number(1), number(0), invoke("add"), []byte{0x0c, 0x00, 0x0b}), fault.DefenseRejected, false, "as many objects",
		},
		{
			"makes roots without end", asm{imports: []string{"futoin.newInstance/1>"}},
			concat([]byte{0x03, 0x40}, as, invoke("newInstance"), drop, []byte{0x0c, 0x00, 0x0b}), fault.DefenseRejected, false, "as many objects",
		},
		{
			"asks for memory without end", asm{imports: []string{"futoin.stack/3>"}},
			concat([]byte{0x03, 0x40}, as, number(8), number(0), invoke("stack"), drop, []byte{0x0c, 0x00, 0x0b}), fault.DefenseRejected, false, "as many objects",
		},
		{"asks for more memory than there is", asm{imports: []string{"futoin.stack/3>"}}, concat(as, number(math.MaxInt32), number(0), invoke("stack"), drop), fault.InternalError, false, "outside of its memory"},
		{
			"calls the host in a circle", asm{
				imports: []string{"futoin.stateVariable/5>"}, table: []string{"again"}, data: "name\x00",
				code: []defined{{"again", 1, true, concat(local(0), local(0), number(1024), number(1), number(0), invoke("stateVariable"))}},
			},
			// allocate gets its data, which is the pointer of the step
			concat(as, as, number(1024), number(1), number(0), invoke("stateVariable"), drop), fault.InternalError, false, "without end",
		},
		{
			"imports the same twice", asm{imports: []string{"futoin.success/2", "futoin.success/2"}},
			concat(as, number(0), []byte{0x10, 0}, as, number(0), []byte{0x10, 1}), fault.InternalError, false, "after its completion",
		},
		{"frees a guard twice", asm{imports: []string{"futoin.mutex_new/2>", "futoin.sync_free/1", "futoin.addSync/5"}}, concat(
			number(4096), number(1), number(1), invoke("mutex_new"), storeWord, number(4096), loadWord, invoke("sync_free"), number(4096), loadWord, invoke("sync_free"),
			as, number(4096), loadWord, number(0), number(1), number(0), invoke("addSync")), fault.InvalidRequest, false, "FutoInSync"},
		{"ends the program", asm{imports: []string{"wasi_snapshot_preview1.proc_exit/1"}}, concat(number(3), invoke("proc_exit")), fault.InternalError, false, "ended its program with 3"},
		{"addSync without a guard", asm{imports: []string{"futoin.addSync/5"}}, concat(as, number(4096), number(0), number(1), number(0), invoke("addSync")), fault.InvalidRequest, false, "FutoInSync"},
		{"waits for nobody", asm{imports: []string{"futoin.setTimeout/2"}}, concat(as, number(1), invoke("setTimeout")), fault.Timeout, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.asm.code = append(c.asm.code, defined{"well", 3, false, nil})
			turn := time.Minute
			if c.code == fault.Timeout && c.info != "" {
				turn = 20 * time.Millisecond
			}
			m := loaded(t, c.asm.step(c.body), Limits{Turn: turn, Objects: 100, WASI: Basic(), Reuse: true})
			_, reported, err := outcome(t, unitStep(m, "run"), struct{}{})
			if fault.CodeOf(err) != c.code || errors.Is(err, ErrTrap) != c.trap || !strings.Contains(err.Error(), c.info) || len(reported) > 0 {
				t.Errorf("%v; reported: %v", err, reported)
			}
			if _, _, err := outcome(t, unitStep(m, "well"), struct{}{}); err != nil {
				t.Error("the next run: ", err)
			}
		})
	}
}

// Calls between the guest and the host nest eight deep. The error of one more names the step.
func TestNestedCalls(t *testing.T) {
	for calls, ok := range map[int32]bool{8: true, 9: false} {
		m := loaded(t, asm{
			imports: []string{"futoin.stateVariable/5>"}, table: []string{"again"}, data: "name\x00",
			code: []defined{{"again", 1, true, concat(
				number(4096), number(4096), loadWord, number(1), []byte{0x6a}, storeWord,
				number(4096), loadWord, number(calls-1), []byte{0x48, 0x04, 0x40}, askVariable(local(0)), drop, []byte{0x0b}, number(1))}},
		}.step(askVariable(as), drop), Limits{})
		_, reported, err := outcome(t, unitStep(m, "run"), struct{}{})
		if (err == nil) != ok || len(reported) > 0 {
			t.Errorf("%d calls: %v, reported: %v", calls, err, reported)
		}
		if err != nil && (fault.CodeOf(err) != fault.InternalError || !strings.Contains(err.Error(), "without end") ||
			!strings.Contains(err.Error(), "(at 0/0)")) {
			t.Error(err)
		}
	}
}

func askVariable(steps []byte) []byte {
	return concat(steps, steps, number(1024), number(1), number(0), invoke("stateVariable"))
}

func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		binary []byte
		limits Limits
		code   fault.Code
		info   string
	}{
		{"nothing", nil, Limits{}, fault.InvalidRequest, "isn't valid"},
		{"no module", []byte("something else"), Limits{}, fault.InvalidRequest, "isn't valid"},
		{"half a module", asm{}.step()[:100], Limits{}, fault.InvalidRequest, "isn't valid"},
		{"a function that there isn't", asm{imports: []string{"futoin.open/1"}}.step(), Limits{}, fault.InvalidRequest, "imports futoin.open"},
		{"another module", asm{imports: []string{"env.abort/4"}}.step(), Limits{}, fault.InvalidRequest, "imports env.abort"},
		{"WASI", asm{imports: []string{"wasi_snapshot_preview1.fd_write/4>"}}.step(), Limits{}, fault.InvalidRequest, "imports fd_write of WASI"},
		{"WASI that isn't named", asm{imports: []string{"wasi_snapshot_preview1.path_open/4>"}}.step(), Limits{WASI: Basic()}, fault.InvalidRequest, "path_open"},
		{"another signature", asm{imports: []string{"futoin.add/1"}}.step(), Limits{}, fault.InvalidRequest, "other parameters"},
		{"no futoin_call", asm{without: callExport}.step(), Limits{}, fault.InvalidRequest, "futoin_call"},
		{"futoin_call with other parameters", asm{call: &defined{callExport, 4, true, number(0)}}.step(), Limits{}, fault.InvalidRequest, "futoin_call"},
		{
			"tables outside of the memory", asm{tables: -16}.step(), Limits{}, fault.InvalidRequest,
			"outside of its memory",
		},
		{"no memory", asm{without: memory}.step(), Limits{}, fault.InvalidRequest, "export its memory"},
		{"too much memory", asm{pages: 3}.step(), Limits{Memory: 2 * page}, fault.InvalidRequest, "isn't valid"},
		{"a start function that traps", asm{code: []defined{{"begin", 0, false, unreachable}}, start: "begin"}.step(), Limits{}, fault.InternalError, "didn't start: unreachable in begin"},
		{"a start function that spins", asm{code: []defined{{"begin", 0, false, forever}}, start: "begin"}.step(), Limits{Start: 20 * time.Millisecond}, fault.Timeout, "longer than 20ms"},
		{
			"a start function that calls the table", asm{
				imports: []string{"futoin.mutex_new/2>"}, start: "begin",
				code: []defined{{"begin", 0, false, concat(number(1), number(1), invoke("mutex_new"), drop)}},
			}.step(), Limits{}, fault.InternalError, "while no step of it runs",
		},
		{
			"_initialize calls the table", asm{
				imports: []string{"futoin.newInstance/1>"},
				code:    []defined{{"_initialize", 0, false, concat(number(0), invoke("newInstance"), drop)}},
			}.step(), Limits{}, fault.InternalError, "while no step of it runs",
		},
		{
			"_initialize with a parameter", asm{code: []defined{{"_initialize", 1, false, nil}}}.step(), Limits{},
			fault.InvalidRequest, "_initialize",
		},
		{"a memory of another module", moduleImporting(2, 0, 1), Limits{}, fault.InvalidRequest, "imports a memory"},
		{"a table of another module", moduleImporting(1, 0x70, 0, 1), Limits{}, fault.InvalidRequest, "imports"},
		{"a global of another module", moduleImporting(3, 0x7f, 0), Limits{}, fault.InvalidRequest, "imports"},
		{"limits", asm{}.step(), Limits{Memory: 1}, fault.InvalidRequest, "Limits.Memory"},
		{"limits", asm{}.step(), Limits{Turn: 1}, fault.InvalidRequest, "Limits.Turn"},
		{"limits", asm{}.step(), Limits{Start: -1}, fault.InvalidRequest, "Limits.Start"},
		{"limits", asm{}.step(), Limits{Objects: -1}, fault.InvalidRequest, "negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Load(t.Context(), c.binary, c.limits)
			if m != nil || fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.info) {
				t.Error(err)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Load(ctx, asm{}.step(), Limits{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// moduleImporting returns a module with one import, which kind describes, and nothing else.
func moduleImporting(kind ...byte) []byte {
	return concat([]byte("\x00asm\x01\x00\x00\x00"), section(2, vector(concat(named(importsOf), named("shared"), kind))))
}

func TestMemoryLimit(t *testing.T) {
	m := loaded(t, asm{imports: []string{"futoin.success/2"}, code: []defined{{"grows", 1, true, concat(local(0), grow)}}}.
		step(number(1), grow, number(-1), []byte{0x46, 0x04, 0x40}, unreachable, []byte{0x0b}, number(1), grow, number(-1), []byte{0x47, 0x04, 0x40}, unreachable, []byte{0x0b}),
		Limits{Memory: 2 * page})
	if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); err != nil {
		t.Error("it has one page, may have two, and doesn't get three:", err)
	}
}

// The memory doesn't grow beyond the limit, and the values of the guest arrive.
func TestGrowsInEachCall(t *testing.T) {
	m := loaded(t, asm{imports: []string{"futoin.success/2"}}.step(number(1), grow, drop, as, local(2), invoke("success")), Limits{Memory: 8 * page, Reuse: true})
	for range 20 {
		wantForwarded(t, m, "text", strings.Repeat("long ", 100))
	}
	if size := m.idle[0].mem.Size(); size != 8*page {
		t.Errorf("it has %d bytes", size)
	}
}

// An info that is too long is cut between two characters, and doesn't stop the guest.
func TestLongInfo(t *testing.T) {
	m := loaded(t, asm{imports: []string{"futoin.handle_error/3"}, data: "Code\x00" + strings.Repeat("€", 2000) + "\x00"}.step(
		as, number(1024), number(1029), invoke("handle_error")), Limits{Reuse: true})
	for range 2 {
		_, _, err := outcome(t, unitStep(m, "run"), struct{}{})
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != "Code" || f.Info != strings.Repeat("€", 4096/3) {
			t.Error(err)
		}
	}
}

// An allocator that gives NULL has no memory left.
func TestAllocatorWithoutMemory(t *testing.T) {
	const unsigned = 0x4b // greater than
	poor := func(most int32) *defined {
		return &defined{callExport, 5, true, concat(local(2), number(most), []byte{unsigned, 0x04, 0x40}, number(0), []byte{0x0f, 0x0b}, futoinCall.body)}
	}
	m := loaded(t, asm{call: poor(20_000)}.step(), Limits{})
	_, _, err := outcome(t, Step[string, struct{}](m, "run"), strings.Repeat("x", 30_000))
	if fault.CodeOf(err) != fault.DefenseRejected || !strings.Contains(err.Error(), "no memory left") {
		t.Error(err)
	}
	if _, err := Load(t.Context(), asm{call: poor(100)}.step(), Limits{}); fault.CodeOf(err) != fault.DefenseRejected {
		t.Error(err)
	}
}

// countingGuest returns a guest that fails with First in its first run, and with Again if a word at address 4096 tells of an earlier one.
func countingGuest() []byte {
	return asm{imports: []string{"futoin.handle_error/3"}, data: "First\x00Again\x00"}.step(
		as, number(1024), number(4096), loadWord, number(6), []byte{0x6c, 0x6a}, number(0), invoke("handle_error"),
		number(4096), number(1), storeWord)
}

// A run sees what another one has left in memory only if instances are reused.
func TestReuse(t *testing.T) {
	for _, c := range []struct {
		limits Limits
		want   fault.Code
	}{{Limits{}, "First"}, {Limits{Ready: 2}, "First"}, {Limits{Reuse: true}, "Again"}} {
		m := loaded(t, countingGuest(), c.limits)
		for run, want := range []fault.Code{"First", c.want, c.want} {
			if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); fault.CodeOf(err) != want {
				t.Errorf("%+v: run %d: %v", c.limits, run, err)
			}
		}
	}
}

func TestTrapInCallback(t *testing.T) {
	m := loaded(t, asm{
		imports: []string{"futoin.waitExternal/1", "futoin.sched_deferred/5"}, table: []string{"bad"},
		code: []defined{{"bad", 1, false, unreachable}},
	}.step(as, invoke("waitExternal"), number(4096), as, number(10), as, number(1), invoke("sched_deferred")), Limits{})
	_, reported, err := outcome(t, unitStep(m, "run"), struct{}{})
	if !errors.Is(err, ErrTrap) || !strings.Contains(err.Error(), "unreachable in bad") || len(reported) > 0 {
		t.Error(err, reported)
	}
}

// A trap in a cleanup fails the step.
func TestTrapInCleanup(t *testing.T) {
	m := loaded(t, asm{
		imports: []string{"futoin.stack/3>"}, table: []string{"bad"},
		code: []defined{{"bad", 1, false, unreachable}},
	}.step(as, number(8), number(1), invoke("stack"), drop), Limits{})
	_, reported, err := outcome(t, unitStep(m, "run"), struct{}{})
	if !errors.Is(err, ErrTrap) || len(reported) > 0 {
		t.Error(err, reported)
	}
}

// If the guest frees the root, the trap is the step's error. If the host frees it when the step has ended, the trap is reported. The instance
// is given back in both cases.
func TestTrapInCleanupOfRoot(t *testing.T) {
	guest := asm{
		imports: []string{"futoin.newInstance/1>", "futoin.stack/3>", "futoin.free/1"}, table: []string{"bad"},
		code: []defined{{"bad", 1, false, unreachable}},
	}
	kept := concat(number(4096), loadWord)
	root := concat(number(4096), as, invoke("newInstance"), storeWord, kept, number(8), number(1), invoke("stack"), drop)
	if _, reported, err := outcome(t, unitStep(loaded(t, guest.step(root), Limits{}), "run"), struct{}{}); err != nil || len(reported) != 1 || !errors.Is(reported[0], ErrTrap) {
		t.Error(err, reported)
	}
	frees := concat(root, kept, invoke("free"))
	if _, reported, err := outcome(t, unitStep(loaded(t, guest.step(frees), Limits{}), "run"), struct{}{}); !errors.Is(err, ErrTrap) || len(reported) > 0 {
		t.Error(err, reported)
	}
}

// Values that lie about their memory or their type are errors where they are read.
func TestBadValues(t *testing.T) {
	value := func(flags byte, pointer, length int32) []byte {
		// the type is at 1024, the values at 2048
		return asm{imports: []string{"futoin.success/2"}, data: string([]byte{flags, 0, 0, 0, 0, 0, 0, 0})}.step(
			number(2048), number(1024), storeWord, number(2056), number(pointer), storeWord, number(2068), number(length), storeWord,
			as, number(2048), invoke("success"))
	}
	for _, c := range []struct {
		name            string
		flags           byte
		pointer, length int32
	}{
		{"outside", 0x18, -64, 4}, {"to the end and beyond", 0x18, 65528, 4}, {"as long as can be", 0x19, 4096, -1},
		{"NULL", 0x18, 0, 4}, {"not aligned", 0x18, 4097, 4}, {"no flags", 0x00, 4096, 4}, {"unknown flags", 0x38, 4096, 4},
		{"an object", 0x01, 4096, 4}, {"a string", 0x02, 4096, 4}, {"an array of strings", 0x12, 4096, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := loaded(t, value(c.flags, c.pointer, c.length), Limits{})
			out, reported, err := outcome(t, Step[struct{}, []int32](m, "run"), struct{}{})
			if out != nil || fault.CodeOf(err) != fault.InvalidRequest || len(reported) > 0 {
				t.Error(out, err, reported)
			}
		})
	}
	for _, c := range []struct{ pointer, length int32 }{{-4, 3}, {65533, 3}, {4096, 65535}, {1024, 0}} { // the last isn't terminated
		m := loaded(t, value(0x02, c.pointer, c.length), Limits{})
		if out, _, err := outcome(t, Step[struct{}, string](m, "run"), struct{}{}); out != "" || fault.CodeOf(err) != fault.InvalidRequest {
			t.Error(c, out, err)
		}
	}
}

func TestInstances(t *testing.T) {
	m := loaded(t, asm{imports: []string{"futoin.setTimeout/2"}}.step(as, number(1000), invoke("setTimeout")), Limits{Instances: 2})
	_, _, err := outcome(t, flow.Par(unitStep(m, "run"), unitStep(m, "run"), unitStep(m, "run")), struct{}{})
	if fault.CodeOf(err) != fault.DefenseRejected {
		t.Error(err)
	}
}

// A step of a closed module fails, and closing the module twice is no error.
func TestClose(t *testing.T) {
	m, err := Load(t.Context(), asm{}.step(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error(err)
	}
}
