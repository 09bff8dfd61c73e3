package wasm

import (
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A pointer that the guest has kept from an earlier run is void: calls through it are violations of the step that makes them.
func TestKeptPointer(t *testing.T) {
	m := loaded(t, asm{imports: []string{"futoin.success/2"}}.step(
		number(4096), loadWord, []byte{0x45, 0x04, 0x40}, // if no pointer is kept
		number(4096), as, storeWord, []byte{0x05}, // else
		number(4096), loadWord, number(0), invoke("success"), []byte{0x0b}), Limits{Reuse: true})
	if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); fault.CodeOf(err) != fault.InternalError || !strings.Contains(err.Error(), "called success") {
		t.Error(err)
	}
}

// A callback that a step has scheduled isn't called when the step has ended.
func TestCompletesTooLate(t *testing.T) {
	m := loaded(t, asm{
		imports: []string{"futoin.success/2", "futoin.sched_deferred/5"}, table: []string{"late"},
		code: []defined{{"late", 1, false, unreachable}},
	}.step(number(4096), as, number(10), as, number(1), invoke("sched_deferred")), Limits{Reuse: true})
	for range 3 {
		if _, reported, err := outcome(t, flow.Then(unitStep(m, "run"), unitStep(m, "run")), struct{}{}); err != nil || len(reported) > 0 {
			t.Error(err, reported)
		}
	}
}

// A timer must not call back between the end of the step and the end of the run, when what the callback uses has been cleaned up.
func TestCallsBackNeverAfterTheStep(t *testing.T) {
	const cleanedUp = 5000
	m := loaded(t, asm{
		imports: []string{"futoin.sched_deferred/5", "futoin.stack/3>", "futoin.add/4"}, table: []string{"late", "cleans", "passes"},
		code: []defined{
			{"late", 1, false, concat(number(cleanedUp), loadWord, []byte{0x04, 0x40}, unreachable, []byte{0x0b})},
			{"cleans", 1, false, concat(number(cleanedUp), number(1), storeWord)},
			{"passes", 3, false, nil},
		},
	}.step(number(cleanedUp), number(0), storeWord, as, number(8), number(2), invoke("stack"), drop,
		number(4096), as, number(0), as, number(1), invoke("sched_deferred"), addStep(3), addStep(3)), Limits{Reuse: true})
	first := m.idle[0]
	for seed := range uint64(200) {
		loop := tooltest.New(tooltest.WithSeed(seed))
		run := flow.Start(t.Context(), loop, unitStep(m, "run"), struct{}{})
		loop.Run()
		if _, err := run.Result(); err != nil || len(loop.Errors()) > 0 || len(m.idle) != 1 || m.idle[0] != first {
			t.Fatal("the instance has trapped", seed, err, loop.Errors())
		}
	}
}
