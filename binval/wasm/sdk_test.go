package wasm

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// guests checks steps that the guest of each SDK has.
func guests(t *testing.T, binary []byte, limits Limits) {
	limits.Turn = time.Minute // the machine may be busy
	m := loaded(t, binary, limits)
	if out, reported, err := outcome(t, Step[string, string](m, "hello"), "wasm"); out != "Hello, wasm" || err != nil || len(reported) > 0 {
		t.Error(out, err, reported)
	}
	if out, reported, err := outcome(t, Step[struct{}, int32](m, "waits"), struct{}{}); out != 7 || err != nil || len(reported) > 0 {
		t.Error(out, err, reported)
	}
	if out, reported, err := outcome(t, Step[int32, int32](m, "adds"), 2); out != 42 || err != nil || len(reported) > 0 {
		t.Error(out, err, reported)
	}
	_, reported, err := outcome(t, unitStep(m, "fails"), struct{}{})
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != "OutOfStock" || f.Info != "three are left" || len(reported) > 0 {
		t.Error(err, reported)
	}
	if out, reported, err := outcome(t, Step[struct{}, string](m, "handles"), struct{}{}); out != "OutOfStock" || err != nil || len(reported) > 0 {
		t.Error(out, err, reported)
	}
}

// wantFreed checks that the steps of an SDK give memory back: the calls together need more than an instance has.
func wantFreed(t *testing.T, binary []byte, limits Limits) {
	limits.Reuse, limits.Turn = true, time.Minute
	m := loaded(t, binary, limits)
	name := strings.Repeat("x", 64<<10)
	for n := range 2 * int(m.limits.Memory) / len(name) {
		if out, _, err := outcome(t, Step[string, string](m, "hello"), name); !strings.HasPrefix(out, "Hello, xxx") || err != nil {
			t.Fatalf("call %d: %d bytes, %v", n, len(out), err)
		}
	}
	for n := range 2 * int(m.limits.Memory) / len(name) {
		if _, _, err := outcome(t, Step[string, struct{}](m, "drops"), name); err != nil {
			t.Fatalf("drop %d: %v", n, err)
		}
	}
	objects := m.idle[0].objects
	for range 100 {
		if out, _, err := outcome(t, Step[int32, int32](m, "adds"), 2); out != 42 || err != nil {
			t.Fatal(out, err)
		}
	}
	if more := m.idle[0].objects - objects; more > 200 { // the pointers of steps are kept for their next use
		t.Errorf("%d objects more", more)
	}
}

// wantTimerBeside checks that the callback of a timer is kept although branches that were added after it have ended.
func wantTimerBeside(t *testing.T, binary []byte, limits Limits) {
	t.Helper()
	limits.Turn = time.Minute
	if out, reported, err := outcome(t, Step[struct{}, int32](loaded(t, binary, limits), "beside"), struct{}{}); out != 42 || err != nil || len(reported) > 0 {
		t.Errorf("the timer has set %d, want 42; %v, %v", out, err, reported)
	}
}

// wantArgumentsFreed checks that strings which the next step doesn't take are freed, and that a string can be taken once.
func wantArgumentsFreed(t *testing.T, binary []byte, limits Limits) {
	t.Helper()
	limits.Reuse, limits.Turn = true, time.Minute
	m := loaded(t, binary, limits)
	for n := range 2 * int(limits.Memory) / (64 << 10) {
		if out, _, err := outcome(t, Step[struct{}, int32](m, "hands"), struct{}{}); out != 7 || err != nil {
			t.Fatalf("call %d: %d, %v", n, out, err)
		}
	}
	if once, _, err := outcome(t, Step[string, bool](m, "again"), "text"); !once || err != nil {
		t.Error("a string can be taken twice, ", err)
	}
}

func wantZeroBytes(t *testing.T, binary []byte, limits Limits) {
	t.Helper()
	limits.Turn = time.Minute
	for _, name := range []string{"", "\x00", "two\x00words\x00"} {
		if out, _, err := outcome(t, Step[string, string](loaded(t, binary, limits), "hello"), name); out != "Hello, "+name || err != nil {
			t.Errorf("%q: %q, %v", name, out, err)
		}
	}
}

// wantLateStepsRefused checks that the SDK keeps nothing for a step that has ended, also when the host uses its pointer again.
func wantLateStepsRefused(t *testing.T, binary []byte, limits Limits) {
	t.Helper()
	limits.Reuse, limits.Turn = true, time.Minute
	m := loaded(t, binary, limits)
	for n := range 10 {
		if _, _, err := outcome(t, unitStep(m, "leaves"), struct{}{}); err != nil {
			t.Fatal(n, err)
		}
		if _, _, err := outcome(t, unitStep(m, "uses"), struct{}{}); fault.CodeOf(err) != fault.InternalError || !strings.Contains(err.Error(), "called add") {
			t.Fatal(n, err)
		}
		for k := range 300 {
			if _, _, err := outcome(t, unitStep(m, "keeps"), struct{}{}); err != nil {
				t.Fatal(n, k, err)
			}
		}
	}
}

// wantTimersForgotten checks that callbacks of timers which can't come any more are forgotten. Each refers to 64 KB.
func wantTimersForgotten(t *testing.T, binary []byte, limits Limits) {
	t.Helper()
	limits.Reuse, limits.Turn = true, time.Minute
	m := loaded(t, binary, limits)
	for n := range 2 * int(limits.Memory) / (64 << 10) {
		if _, _, err := outcome(t, Step[struct{}, struct{}](m, "late"), struct{}{}); err != nil {
			t.Fatalf("call %d: %v", n, err)
		}
	}
}

func TestGuestC(t *testing.T) {
	binary := guestC(t, "testdata/steps.c")
	guests(t, binary, Limits{WASI: Basic()})
	wantFreed(t, binary, Limits{WASI: Basic(), Memory: 1 << 20})
}
