package wasm

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// writes writes "begins" to the output of the guests of this file; tells does so and drops the result.
var (
	writes = concat(number(2048), number(1024), storeWord, number(2052), number(6), storeWord,
		number(1), number(2048), number(1), number(4096), invoke("fd_write"))
	tells = concat(writes, drop)
)

// Functions of loopingGuest by their numbers in the table. They begin to spin, but for makes, waits and works.
const (
	one   = 1 + iota // with one parameter
	two              // with two
	three            // with three
	makes            // makes a variable
	waits            // a step that has memory whose cleanup is one, and waits
	works            // a step that waits, with a cancel hook that is two
	never            // begins to make a variable
)

// loopingGuest returns a guest whose step has that body. What it keeps is at address 4100, the name of a variable at 1031, a type whose
// cleanup is one at 1040, and a value of that type at 1048.
func loopingGuest(body ...[]byte) []byte {
	return asm{
		imports: []string{
			"wasi_snapshot_preview1.fd_write/4>", "futoin.stateVariable/5>", "futoin.stack/3>", "futoin.newInstance/1>", "futoin.add/4",
			"futoin.execute/3", "futoin.cancel/1", "futoin.handle_error/3", "futoin.success/2", "futoin.setTimeout/2", "futoin.setCancel/3",
			"futoin.sched_immediate/4", "futoin.waitExternal/1",
		},
		table: []string{"one", "two", "three", "makes", "waits", "works", "never"},
		data:  "begins\x00name\x00\x00\x00\x00\x00" + "\x05\x00\x00\x00\x01\x00\x00\x00" + "\x10\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + "Code\x00",
		code: []defined{
			{"one", 1, false, concat(tells, forever)}, {"two", 2, false, concat(tells, forever)}, {"three", 3, false, concat(tells, forever)},
			{"makes", 1, true, number(1)}, {"never", 1, true, concat(tells, forever, number(1))},
			{"waits", 3, false, concat(as, number(8), number(one), invoke("stack"), drop, as, number(60_000), invoke("setTimeout"))},
			{"works", 3, false, concat(as, number(0), number(two), invoke("setCancel"))},
		},
	}.step(body...)
}

// kept loads what loopingGuest keeps.
var kept = concat(number(4100), loadWord)

var makesRoot = concat(number(4100), as, invoke("newInstance"), storeWord)

// variableOf makes a variable of steps whose cleanup is two.
func variableOf(steps []byte) []byte {
	return concat(steps, number(0), number(1031), number(makes), number(two), invoke("stateVariable"), drop)
}

// A cancel also stops code that the host calls for the step, such as cleanups, hooks and callbacks.
func TestAwaitSpinsInCleanup(t *testing.T) {
	executes := concat(kept, number(0), number(0), invoke("execute"))
	for name, body := range map[string][]byte{
		"a variable":                    variableOf(as),
		"memory of the stack":           concat(as, number(8), number(one), invoke("stack"), drop),
		"a value":                       concat(as, number(1048), invoke("success")),
		"a root":                        concat(makesRoot, kept, number(8), number(one), invoke("stack"), drop),
		"a variable of a root":          concat(makesRoot, variableOf(kept)),
		"a step of a root":              concat(makesRoot, kept, number(0), number(waits), number(0), invoke("add"), executes, as, number(1), invoke("setTimeout")),
		"a cancel hook":                 concat(makesRoot, kept, number(0), number(works), number(0), invoke("add"), executes, as, number(1), invoke("setTimeout")),
		"the end of a root":             concat(makesRoot, kept, number(1064), number(0), invoke("handle_error"), kept, number(0), number(three), invoke("execute"), as, invoke("waitExternal")),
		"a callback":                    concat(number(4104), as, as, number(one), invoke("sched_immediate"), as, invoke("waitExternal")),
		"an error handler":              concat(as, number(0), number(waits), number(three), invoke("add"), as, number(1), invoke("setTimeout")),
		"a sub-step":                    concat(as, number(0), number(three), number(0), invoke("add")),
		"a variable that is being made": concat(as, number(0), number(1031), number(never), number(0), invoke("stateVariable"), drop),
	} {
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{})
			m := loaded(t, loopingGuest(body), Limits{WASI: Basic(), Output: &lockedBuffer{wrote: begun}})
			cancelRunning(t, m, begun)
		})
	}
}

// cancelRunning runs the step off the loop, cancels it when the guest has begun to spin, and checks that the guest is stopped.
func cancelRunning(t *testing.T, m *Module, begun <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := flow.Run(ctx, Await[struct{}, struct{}](m, "run"), struct{}{})
		ended <- err
	}()
	select {
	case <-begun:
	case err := <-ended:
		t.Fatal("it has ended without spinning: ", err)
	}
	began := time.Now()
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, fault.Cancelled) && fault.CodeOf(err) != fault.Timeout {
			t.Error(err)
		}
		t.Log("it was stopped after", time.Since(began))
	case <-time.After(10 * time.Second):
		t.Fatal("it still spins")
	}
	for limit := time.Now().Add(10 * time.Second); m.inUse(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the instance is still in use")
		}
	}
}

// failingSecond is an output that fails the second time, and closes second then.
type failingSecond struct {
	writes int
	second chan struct{}
}

func (f *failingSecond) Write(b []byte) (int, error) {
	if f.writes++; f.writes == 2 {
		close(f.second)
		return 0, errors.New("full")
	}
	return len(b), nil
}

// The cancel stops start functions of an instance for the step, and of one for the next step.
func TestAwaitSpinsInStart(t *testing.T) {
	binary := asm{
		imports: []string{"wasi_snapshot_preview1.fd_write/4>"}, data: "begins", start: "begin",
		code: []defined{{"begin", 0, false, concat(writes, []byte{0x04, 0x40}, forever, []byte{0x0b})}},
	}.step()
	for name, ready := range map[string]int{"for the step": 0, "for the next": 1} {
		t.Run(name, func(t *testing.T) {
			second := make(chan struct{})
			m := loaded(t, binary, Limits{WASI: Basic(), Output: &failingSecond{second: second}, Start: time.Minute, Ready: ready})
			if ready == 0 {
				if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); err != nil {
					t.Fatal(err)
				}
			}
			cancelRunning(t, m, second)
		})
	}
}

func (m *Module) inUse() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used > 0
}

type slowWriter time.Duration

func (s slowWriter) Write(b []byte) (int, error) {
	time.Sleep(time.Duration(s))
	return len(b), nil
}

// A cancel that arrives when the run has ended doesn't concern the next run of the instance.
func TestUrgedTooLate(t *testing.T) {
	// The guest works for 30 ms, and then uses up some tanks of fuel.
	m := loaded(t, loopingGuest(tells, number(4100), number(0), storeWord, []byte{0x03, 0x40}, number(4100), kept, number(1), []byte{0x6a}, storeWord,
		kept, number(10*tank), []byte{0x48, 0x0d, 0, 0x0b}), Limits{WASI: Basic(), Output: slowWriter(30 * time.Millisecond), Reuse: true})
	i, err := m.take(context.Background(), tooltest.New(), true)
	if err != nil {
		t.Fatal(err)
	}
	late := i.sight
	i.end()
	m.watch.urge(late)
	for _, s := range []func() error{
		func() error {
			_, err := flow.Run(t.Context(), Await[struct{}, struct{}](m, "run"), struct{}{})
			return err
		},
		func() error { _, err := flow.Run(t.Context(), unitStep(m, "run"), struct{}{}); return err },
	} {
		if err := s(); err != nil {
			t.Error(err)
		}
	}
	if n := m.watch.hurried; n != 0 || len(m.watch.watched) != 0 {
		t.Errorf("%d instances are in a hurry, %d are watched", n, len(m.watch.watched))
	}
}

// A stop for a call that has ended already doesn't stop the next call of the instance.
func TestStoppedTooLate(t *testing.T) {
	m := loaded(t, asm{imports: []string{"futoin.guard/1>"}, data: "none\x00"}.step(number(1024), invoke("guard"), drop), Limits{Reuse: true})
	i := m.idle[0]
	for run := range 3 {
		i.stop(i.call.Load()-1, fault.New(fault.Timeout, "too late")) // the number of the last call
		if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); err != nil {
			t.Errorf("run %d: %v", run, err)
		}
	}
}

// The cleanups at the end of a run are one call, which may hold the loop for as long as Limits.Turn.
func TestCleanupsHaveOneTurn(t *testing.T) {
	const variables = 50
	m := loaded(t, asm{
		imports: []string{"wasi_snapshot_preview1.fd_write/4>", "futoin.stateVariable/5>", "futoin.guard/1>"},
		table:   []string{"makes", "works"}, data: "begins" + string(bytes.Repeat([]byte("x"), variables)) + "\x00",
		code: []defined{
			{"makes", 1, true, number(1)},
			{"works", 2, false, concat(tells, number(1024), invoke("guard"), drop)},
		},
	}.step([]byte{0x03, 0x40}, number(4100), kept, number(1), []byte{0x6a}, storeWord, // each is named by the rest of the text
		as, number(0), kept, number(1029), []byte{0x6a}, number(1), number(2), invoke("stateVariable"), drop,
		kept, number(variables), []byte{0x48, 0x0d, 0, 0x0b}),
		Limits{WASI: Basic(), Output: slowWriter(5 * time.Millisecond), Turn: 20 * time.Millisecond})
	_, reported, err := outcome(t, unitStep(m, "run"), struct{}{})
	if err != nil || len(reported) != 1 || fault.CodeOf(reported[0]) != fault.Timeout {
		t.Error(err, reported)
	}
}

// What a guest begins in a cleanup at the end of a run ends before the instance serves another one.
func TestCleanupBegins(t *testing.T) {
	root := concat(number(4100), local(0), invoke("newInstance"), storeWord)
	named := func(steps []byte, name int32) []byte {
		return concat(steps, steps, number(name), number(1), number(2), invoke("stateVariable"), drop)
	}
	for name, cleanup := range map[string][]byte{
		"a callback": concat(number(4104), local(0), local(0), number(3), invoke("sched_immediate")),
		"a root":     root,
		"roots with variables": concat(number(4108), number(4108), loadWord, number(1), []byte{0x6a}, storeWord, // four roots
			number(4108), loadWord, number(4), []byte{0x4c, 0x04, 0x40}, root, named(kept, 1024), []byte{0x0b}),
		"a root that executes": concat(root, kept, number(0), number(4), number(0), invoke("add"), kept, number(0), number(0), invoke("execute")),
	} {
		t.Run(name, func(t *testing.T) {
			m := loaded(t, asm{
				imports: []string{"futoin.stateVariable/5>", "futoin.newInstance/1>", "futoin.sched_immediate/4", "futoin.add/4", "futoin.execute/3"},
				table:   []string{"makes", "begins", "traps", "step"}, data: "name\x00",
				code: []defined{
					{"makes", 1, true, number(1)}, {"begins", 2, false, cleanup},
					{"traps", 1, false, unreachable}, {"step", 3, false, unreachable},
				},
			}.step(number(4108), number(0), storeWord, named(as, 1024)), Limits{Reuse: true})
			for range 3 {
				if _, reported, err := outcome(t, unitStep(m, "run"), struct{}{}); err != nil || len(reported) > 0 {
					t.Error(err, reported)
				}
				if len(m.idle) != 1 {
					t.Fatal("the instance isn't used again")
				}
				if i := m.idle[0]; len(i.tasks)+len(i.roots)+len(i.vars) > 0 {
					t.Errorf("%d tasks, %d roots and %d variables are left", len(i.tasks), len(i.roots), len(i.vars))
				}
			}
		})
	}
}

// Calls of WASI are stopped, whether a single one takes long or many of them cost little fuel, also if the guest makes them through its
// table.
func TestWASIIsStopped(t *testing.T) {
	const vectors, first = 1 << 16, 8200
	const most = (64*page - first) / 8
	output := concat(number(4100), number(first-8), storeWord, // each vector is all of the memory
		[]byte{0x03, 0x40}, number(4100), kept, number(8), []byte{0x6a}, storeWord, kept, number(4<<20), []byte{0x36, 2, 4},
		kept, number(first+8*(vectors-1)), []byte{0x48, 0x0d, 0, 0x0b},
		number(1), number(first), number(vectors), number(4096), invoke("fd_write"), drop)
	for name, body := range map[string][]byte{
		"random numbers": concat([]byte{0x03, 0x40}, number(0), number(4<<20), invoke("random_get"), drop, []byte{0x0c, 0, 0x0b}),
		"output":         output,
		"reads":          concat([]byte{0x03, 0x40}, number(0), number(first), number(most), number(4096), invoke("fd_read"), drop, []byte{0x0c, 0, 0x0b}),
		"polls":          concat([]byte{0x03, 0x40}, number(first), number(first), number(vectors), number(4096), invoke("poll_oneoff"), drop, []byte{0x0c, 0, 0x0b}),
		"indirect reads": concat([]byte{0x03, 0x40}, number(0), number(first), number(most), number(4096), number(1), []byte{0x11, 10, 0}, drop, []byte{0x0c, 0, 0x0b}),
	} {
		t.Run(name, func(t *testing.T) {
			m := loaded(t, asm{
				imports: []string{
					"wasi_snapshot_preview1.fd_write/4>", "wasi_snapshot_preview1.random_get/2>", "wasi_snapshot_preview1.fd_read/4>",
					"wasi_snapshot_preview1.poll_oneoff/4>",
				},
				table: []string{"fd_read"}, pages: 64,
			}.step(body), Limits{WASI: Basic(), Output: slowWriter(200 * time.Microsecond), Turn: 100 * time.Millisecond})
			began := time.Now()
			if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); fault.CodeOf(err) != fault.Timeout {
				t.Error(err)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Error("it was stopped after", took)
			}
		})
	}
}
