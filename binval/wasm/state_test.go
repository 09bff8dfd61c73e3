package wasm

import (
	"errors"
	"testing"
)

// A variable of a root that is freed before the variable is made is cleaned up, at the latest when the pointer names another step.
func TestVariableOfFreedRoot(t *testing.T) {
	kept := concat(number(4096), loadWord)
	frees := concat(kept, invoke("free"))
	ask := func(name, allocate, cleanup int32) []byte {
		return concat(kept, number(0), number(name), number(allocate), number(cleanup), invoke("stateVariable"), drop)
	}
	counts := concat(number(4100), number(4100), loadWord, number(1), []byte{0x6a}, storeWord)
	const runs = 300
	for name, body := range map[string][]byte{
		"by its allocate":        ask(1024, 2, 4),
		"by a cleanup of others": concat(ask(1024, 1, 3), frees),
	} {
		t.Run(name, func(t *testing.T) {
			m := loaded(t, asm{
				imports: []string{"futoin.newInstance/1>", "futoin.free/1", "futoin.stateVariable/5>"},
				table:   []string{"makes", "frees", "asks", "counts"}, data: "name\x00another\x00",
				code: []defined{
					{"makes", 1, true, number(1)}, {"frees", 1, true, concat(frees, number(1))},
					{"asks", 2, false, ask(1029, 1, 4)}, {"counts", 2, false, counts},
				},
			}.step(number(4096), as, invoke("newInstance"), storeWord, body), Limits{Reuse: true, Objects: 200})
			for range runs {
				if _, reported, err := outcome(t, unitStep(m, "run"), struct{}{}); err != nil || len(reported) > 0 {
					t.Fatal(err, reported)
				}
			}
			if n := m.idle[0].load(4100); n < runs-2*quarantine {
				t.Errorf("%d of %d variables were cleaned up", n, runs)
			}
		})
	}
}

// The trap of a guest is the error of its step, and isn't reported as well by what the host would call or release at the end of the step.
func TestTrapIsToldOnce(t *testing.T) {
	nothing := number(0)
	fails := concat(as, number(1035), number(1040), invoke("handle_error"))
	hook := concat(as, nothing, number(1), invoke("setCancel"))
	for name, c := range map[string]struct{ body, handler []byte }{
		"a hook":            {concat(hook, unreachable), nil},
		"a hook, in a wait": {concat(hook, number(4096), as, number(10), as, number(3), invoke("sched_deferred")), nil},
		"error_info":        {fails, concat(as, nothing, number(1024), nothing, nothing, invoke("stateVariable"), drop, unreachable)},
		"a variable":        {concat(as, nothing, number(1035), number(2), number(1), invoke("stateVariable"), drop, unreachable), nil},
		"memory":            {concat(as, number(8), number(3), invoke("stack"), drop, unreachable), nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := loaded(t, asm{
				imports: []string{"futoin.setCancel/3", "futoin.stateVariable/5>", "futoin.stack/3>", "futoin.handle_error/3", "futoin.add/4", "futoin.sched_deferred/5"},
				table:   []string{"cleans", "makes", "traps", "body", "handler"}, data: "error_info\x00Code\x00info\x00",
				code: []defined{
					{"cleans", 2, false, nil}, {"makes", 1, true, number(1)}, {"traps", 1, false, unreachable},
					{"body", 3, false, c.body}, {"handler", 3, false, c.handler},
				},
			}.step(as, nothing, number(4), number(5), invoke("add")), Limits{})
			if _, reported, err := outcome(t, unitStep(m, "run"), struct{}{}); !errors.Is(err, ErrTrap) || len(reported) > 0 {
				t.Error(err, reported)
			}
		})
	}
}
