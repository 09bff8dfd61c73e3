package wasm

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func forwardingGuest() []byte {
	return asm{imports: []string{"futoin.success/2"}}.step(as, local(2), invoke("success"))
}

func wantForwarded[T any](t *testing.T, m *Module, values ...T) {
	t.Helper()
	for _, v := range values {
		if out, reported, err := outcome(t, Step[T, T](m, "run"), v); err != nil || !reflect.DeepEqual(out, v) || len(reported) > 0 {
			t.Errorf("%T %v: %v, %v, %v", v, v, out, err, reported)
		}
	}
}

func TestValues(t *testing.T) {
	m := loaded(t, forwardingGuest(), Limits{Reuse: true})
	wantForwarded(t, m, struct{}{})
	wantForwarded(t, m, true, false)
	wantForwarded[int8](t, m, -128, 127)
	wantForwarded[int16](t, m, math.MinInt16, math.MaxInt16)
	wantForwarded[int32](t, m, math.MinInt32, math.MaxInt32)
	wantForwarded[int64](t, m, math.MinInt64, math.MaxInt64)
	wantForwarded(t, m, -1, 1)
	wantForwarded[uint8](t, m, 255)
	wantForwarded[uint16](t, m, math.MaxUint16)
	wantForwarded[uint32](t, m, math.MaxUint32)
	wantForwarded[uint64](t, m, math.MaxUint64)
	wantForwarded[uint](t, m, 1)
	wantForwarded[float32](t, m, math.MaxFloat32)
	wantForwarded(t, m, math.SmallestNonzeroFloat64)
	wantForwarded(t, m, "", "text", "žluťoučký kůň", strings.Repeat("long ", 1000))
	wantForwarded(t, m, binval.String16{0xd83d, 0xde00})
	wantForwarded(t, m, binval.String32("text"))
	wantForwarded(t, m, []bool{true, false})
	wantForwarded(t, m, []int8{-1, 1})
	wantForwarded(t, m, []int16{-1, 1})
	wantForwarded(t, m, []int32{-1, 1})
	wantForwarded(t, m, []int64{-1, 1})
	wantForwarded(t, m, []int{-1, 1})
	wantForwarded(t, m, []uint8{1, 255}, []uint8{})
	wantForwarded(t, m, []uint16{1, 65535})
	wantForwarded(t, m, []uint32{1, 1 << 31})
	wantForwarded(t, m, []uint64{1, 1 << 63})
	wantForwarded(t, m, []uint{1, 2})
	wantForwarded(t, m, []float32{0.5})
	wantForwarded(t, m, []float64{0.5, -1e300})
	type order struct {
		ID    int
		Lines []string
	}
	wantForwarded(t, m, order{7, []string{"a", "b"}}, order{})
	wantForwarded(t, m, map[string]int{"a": 1})
	if out, _, err := outcome(t, Step[int32, float64](m, "run"), 7); out != 7 || err != nil {
		t.Error("converted:", out, err)
	}
	if _, _, err := outcome(t, Step[int32, int8](m, "run"), 300); !errors.Is(err, binval.ErrRange) {
		t.Error(err)
	}
	if _, _, err := outcome(t, Step[string, order](m, "run"), "{"); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error(err)
	}
	if _, _, err := outcome(t, Step[func(), string](m, "run"), nil); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error(err)
	}
	if _, _, err := outcome(t, Step[string, string](m, "run"), "\xff"); !errors.Is(err, binval.ErrEncoding) {
		t.Error(err)
	}
	if _, _, err := outcome(t, Step[struct{}, string](m, "run"), struct{}{}); !errors.Is(err, binval.ErrKind) {
		t.Error(err)
	}
}

func TestReversed(t *testing.T) {
	if got := reversed([]byte{1, 2, 3, 4, 5, 6, 7, 8}, 4); !reflect.DeepEqual(got, []byte{4, 3, 2, 1, 8, 7, 6, 5}) {
		t.Error(got)
	}
	if got := reversed([]byte{1, 2}, 2); !reflect.DeepEqual(got, []byte{2, 1}) {
		t.Error(got)
	}
}

func TestRejected(t *testing.T) {
	m := loaded(t, asm{code: []defined{{"other", 2, false, nil}}}.step(), Limits{})
	for _, c := range []struct {
		s    step.Step[struct{}, struct{}]
		info string
	}{
		{unitStep(m, "missing"), "exports no missing"},
		{unitStep(m, "other"), "isn't a step"},
		{unitStep(m, memory), "exports no memory"},
		{unitStep(nil, "run"), "the module is nil"},
		{Await[struct{}, struct{}](nil, "run"), "the module is nil"},
		{Await[struct{}, struct{}](m, "missing"), "exports no missing"},
	} {
		if err := c.s.Stage().Err(); fault.CodeOf(err) != fault.InvalidRequest || !strings.Contains(err.Error(), c.info) {
			t.Error(err)
		}
	}
}

func TestSubSteps(t *testing.T) {
	var out strings.Builder
	said := func(text string) step.Step[struct{}, struct{}] {
		return step.Map(func(in struct{}) struct{} { out.WriteString(text); return in })
	}
	m := loaded(t, asm{
		imports: []string{"futoin.add/4", "futoin.parallel/3>", "futoin.repeat/5", "futoin.handle_error/3", "futoin.success/2"},
		table:   []string{"fails", "handles", "turns", "gives"},
		data:    "Code\x00info\x00",
		code: []defined{
			{"fails", 3, false, concat(as, number(1024), number(1029), invoke("handle_error"))},
			{"handles", 3, false, concat(as, number(0), invoke("success"))},
			{"turns", 3, false, concat(number(4096), number(4096), loadWord, number(1), []byte{0x6a}, storeWord)},
			{"gives", 3, false, concat( // the count of turns as an int32, whose type is at 2048
				number(2048), number(int32(binval.Int32)), storeWord, number(3072), number(2048), storeWord,
				number(3080), number(4096), loadWord, storeWord, as, number(3072), invoke("success"))},
		},
	}.step(
		as, number(0), number(1), number(2), invoke("add"), // fails, and its handler succeeds
		as, number(0), number(0), invoke("parallel"), []byte{0x24, 0}, // two branches
		[]byte{0x23, 0}, number(0), number(3), number(0), invoke("add"),
		[]byte{0x23, 0}, number(0), number(3), number(0), invoke("add"),
		as, number(0), number(5), number(3), number(0), invoke("repeat"), // five iterations
		as, number(0), number(4), number(0), invoke("add"),
	), Limits{})
	plan := flow.Then(flow.Then(said("a"), Step[struct{}, int32](m, "run")), step.Map(func(n int32) int32 { out.WriteString("b"); return n }))
	if n, reported, err := outcome(t, plan, struct{}{}); n != 7 || err != nil || len(reported) > 0 || out.String() != "ab" {
		t.Error(n, err, reported, out.String())
	}
}

func TestErrors(t *testing.T) {
	m := loaded(t, asm{imports: []string{"futoin.handle_error/3"}, data: "Code\x00info\x00"}.step(
		as, number(1024), number(1029), invoke("handle_error")), Limits{})
	_, _, err := outcome(t, unitStep(m, "run"), struct{}{})
	var f *fault.Error
	if fault.CodeOf(err) != "Code" || !errors.As(err, &f) || f.Info != "info" {
		t.Error(err)
	}
}

// hookedGuest returns a guest that waits, and whose cancel hook writes "hook" to its output.
func hookedGuest() []byte {
	return asm{
		imports: []string{"futoin.setCancel/3", "wasi_snapshot_preview1.fd_write/4>"}, table: []string{"hook"}, data: "hook",
		code: []defined{{"hook", 2, false, concat(number(2048), number(1024), storeWord, number(2052), number(4), storeWord,
			number(1), number(2048), number(1), number(4096), invoke("fd_write"), drop)}},
	}.step(as, number(0), number(1), invoke("setCancel"))
}

func TestCancel(t *testing.T) {
	var out lockedBuffer
	m := loaded(t, hookedGuest(), Limits{WASI: Basic(), Output: &out})
	_, reported, err := outcome(t, flow.Timeout(time.Second, unitStep(m, "run")), struct{}{})
	if !errors.Is(err, fault.Timeout) || out.String() != "hook" || len(reported) > 0 {
		t.Error(err, out.String(), reported)
	}
}

// lockedBuffer is a buffer for several goroutines. If wrote isn't nil, the first write closes it.
type lockedBuffer struct {
	mu    sync.Mutex
	text  strings.Builder
	wrote chan struct{}
}

func (s *lockedBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrote != nil {
		close(s.wrote)
		s.wrote = nil
	}
	return s.text.Write(b)
}

func (s *lockedBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// A guest that spins is stopped when its step is cancelled, or its time is over.
func TestAwait(t *testing.T) {
	spins := asm{imports: []string{"wasi_snapshot_preview1.fd_write/4>"}, data: "begins"}.step(
		number(2048), number(1024), storeWord, number(2052), number(6), storeWord,
		number(1), number(2048), number(1), number(4096), invoke("fd_write"), drop, forever)
	t.Run("cancel", func(t *testing.T) {
		begun := make(chan struct{})
		m := loaded(t, spins, Limits{WASI: Basic(), Output: &lockedBuffer{wrote: begun}})
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() {
			_, err := flow.Run(ctx, Await[struct{}, struct{}](m, "run"), struct{}{})
			ended <- err
		}()
		<-begun
		began := time.Now()
		cancel()
		if err := <-ended; !errors.Is(err, fault.Cancelled) {
			t.Error(err)
		}
		t.Log("it was stopped after", time.Since(began))
	})
	t.Run("timeout", func(t *testing.T) {
		m := loaded(t, spins, Limits{WASI: Basic()})
		_, err := flow.Run(t.Context(), flow.Timeout(10*time.Millisecond, Await[struct{}, struct{}](m, "run")), struct{}{})
		if !errors.Is(err, fault.Timeout) {
			t.Error(err)
		}
	})
	t.Run("hook", func(t *testing.T) {
		var out lockedBuffer
		m := loaded(t, hookedGuest(), Limits{WASI: Basic(), Output: &out})
		_, err := flow.Run(t.Context(), flow.Timeout(100*time.Millisecond, Await[struct{}, struct{}](m, "run")), struct{}{})
		if !errors.Is(err, fault.Timeout) || out.String() != "hook" {
			t.Error(err, out.String())
		}
	})
	t.Run("value", func(t *testing.T) {
		m := loaded(t, forwardingGuest(), Limits{})
		if out, err := flow.Run(t.Context(), Await[string, string](m, "run"), "text"); out != "text" || err != nil {
			t.Error(out, err)
		}
	})
}

func TestGuards(t *testing.T) {
	guest := asm{
		imports: []string{"futoin.guard/1>", "futoin.addSync/5", "futoin.setTimeout/2", "futoin.handle_error/3"}, table: []string{"inside", "after"}, data: "mutex\x00None\x00",
		code: []defined{
			{"inside", 3, false, concat(as, number(1000), invoke("setTimeout"))},
			{"after", 3, false, concat(as, number(1030), number(0), invoke("handle_error"))},
		},
	}.step(
		number(1024), invoke("guard"), []byte{0x24, 0},
		[]byte{0x23, 0}, []byte{0x45, 0x04, 0x40}, as, number(1030), number(0), invoke("handle_error"), []byte{0x0f, 0x0b},
		as, []byte{0x23, 0}, number(0), number(1), number(0), invoke("addSync"))
	m := loaded(t, guest, Limits{Guards: map[string]syncx.Guard{"mutex": syncx.NewMutex(1, 0)}})
	_, _, err := outcome(t, flow.Par(unitStep(m, "run"), unitStep(m, "run")), struct{}{})
	if fault.CodeOf(err) != fault.DefenseRejected {
		t.Error("two inside of a mutex without a queue:", err)
	}
	if _, _, err := outcome(t, unitStep(loaded(t, guest, Limits{}), "run"), struct{}{}); fault.CodeOf(err) != "None" {
		t.Error("a guard that there isn't:", err)
	}
	if _, err := Load(t.Context(), guest, Limits{Guards: map[string]syncx.Guard{"mutex": nil}}); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error(err)
	}
	if _, err := Load(t.Context(), guest, Limits{Guards: map[string]syncx.Guard{"mutex": syncx.NewMutex(0, 0)}}); err == nil {
		t.Error("a guard that isn't well formed")
	}
}

// A guest can be called after garbage collections, which free the host's functions for calls.
func TestCollectionBetweenCalls(t *testing.T) {
	m := loaded(t, asm{
		imports: []string{"futoin.stateVariable/5>"}, table: []string{"makes"}, data: "name\x00",
		code: []defined{{"makes", 1, true, number(1)}},
	}.step(askVariable(as), drop), Limits{Reuse: true})
	for range 3 {
		runtime.GC()
		runtime.GC()
		if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); err != nil {
			t.Error(err)
		}
	}
}
