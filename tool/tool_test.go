package tool_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// T1: immediates are FIFO; those added by an immediate come after the ones already queued.
func TestT1ImmediatesAreFIFO(t *testing.T) {
	forEachLoop(t, func(t *testing.T, r testLoop) {
		var ran collector[string]
		now := func(name string) { mustSchedule(t)(r.Immediate(func() { ran.add(name) })) }
		mustSchedule(t)(r.Immediate(func() {
			now("a")
			mustSchedule(t)(r.Immediate(func() { ran.add("b"); now("e") }))
			now("c")
			now("d")
		}))
		r.advance(0)
		wantOrder(t, ran.all(), "a", "b", "c", "d", "e")
	})
}

// T1: timers run by deadline, and by arrival if the deadlines are equal.
func TestT1TimersByDeadlineThenArrival(t *testing.T) {
	forEachLoop(t, func(t *testing.T, r testLoop) {
		var ran collector[string]
		at := func(d time.Duration, name string) { mustSchedule(t)(r.Deferred(d, func() { ran.add(name) })) }
		r.advance(time.Second) // so that the clock isn't at zero
		at(3*time.Second, "3")
		at(1*time.Second, "1a")
		at(2*time.Second, "2")
		at(1*time.Second, "1b")
		at(0, "0")
		at(1*time.Second, "1c")
		at(math.MaxInt64, "never") // must not overflow to a time in the past
		r.advance(3*time.Second - 1)
		wantOrder(t, ran.all(), "0", "1a", "1b", "1c", "2")
		r.advance(1)
		wantOrder(t, ran.all(), "0", "1a", "1b", "1c", "2", "3")
	})
}

// T1: immediates that queue immediates don't keep a due timer waiting, nor do timers that set timers keep an
// immediate waiting.
func TestT1NeitherKindStarvesTheOther(t *testing.T) {
	forEachLoop(t, func(t *testing.T, r testLoop) {
		timer, immediate := false, false
		turns := 0
		var again, armAgain func()
		again = func() {
			if turns++; !timer && turns < 10_000 {
				mustSchedule(t)(r.Immediate(again))
			}
		}
		mustSchedule(t)(r.Immediate(func() {
			mustSchedule(t)(r.Deferred(0, func() { timer = true }))
			again()
		}))
		r.advance(0)
		if turns >= 10_000 {
			t.Error("the timer waited for all immediates")
		}
		turns = 0
		armAgain = func() {
			if turns++; !immediate && turns < 10_000 {
				mustSchedule(t)(r.Deferred(0, armAgain))
			}
		}
		mustSchedule(t)(r.Deferred(0, func() {
			armAgain()
			mustSchedule(t)(r.Immediate(func() { immediate = true }))
		}))
		r.advance(0)
		if turns >= 10_000 {
			t.Error("the immediate waited for all timers")
		}
	})
}

// T2: a handle is void inside its own callback, after it, and after Cancel.
func TestT2Handles(t *testing.T) {
	forEachLoop(t, func(t *testing.T, r testLoop) {
		schedule := map[string]func(fn func()) tool.Handle{
			"immediate": func(fn func()) tool.Handle { return mustSchedule(t)(r.Immediate(fn)) },
			"deferred":  func(fn func()) tool.Handle { return mustSchedule(t)(r.Deferred(time.Second, fn)) },
		}
		for kind, queue := range schedule {
			var h, gone tool.Handle
			var inside [3]bool
			mustSchedule(t)(r.Immediate(func() { // so that the loop is busy until the handles are known
				h = queue(func() { inside = [...]bool{true, r.Valid(h), r.Cancel(h)} })
				gone = queue(func() { t.Errorf("%s ran after its cancel", kind) })
				if h == 0 || gone == 0 || h == gone {
					t.Errorf("%s: handles %x and %x", kind, h, gone)
				}
				if !r.Valid(h) || !r.Valid(gone) {
					t.Errorf("%s: void before it ran", kind)
				}
				if !r.Cancel(gone) {
					t.Errorf("%s: cancel failed", kind)
				}
				if r.Valid(gone) || r.Cancel(gone) {
					t.Errorf("%s: valid after cancel", kind)
				}
			}))
			r.advance(time.Second)
			if want := [...]bool{true, false, false}; inside != want {
				t.Errorf("%s: ran, valid, cancelled: %v, want %v", kind, inside, want)
			}
			if r.Valid(h) || r.Cancel(h) {
				t.Errorf("%s: valid after it ran", kind)
			}
		}
		if r.Valid(0) || r.Cancel(0) {
			t.Error("the zero handle is valid")
		}
	})
}

// C5: a timer or immediate that a callback cancels in the same turn doesn't run.
func TestC5CancelInTheSameTurn(t *testing.T) {
	forEachLoop(t, func(t *testing.T, r testLoop) {
		var ran collector[string]
		mustSchedule(t)(r.Immediate(func() {
			var timer, immediate tool.Handle
			mustSchedule(t)(r.Deferred(time.Second, func() {
				ran.add("timer")
				if !r.Cancel(timer) {
					t.Error("cannot cancel a timer that is due")
				}
			}))
			timer = mustSchedule(t)(r.Deferred(time.Second, func() { ran.add("late timer") }))
			mustSchedule(t)(r.Immediate(func() {
				ran.add("immediate")
				if !r.Cancel(immediate) {
					t.Error("cannot cancel an immediate that is queued")
				}
			}))
			immediate = mustSchedule(t)(r.Immediate(func() { ran.add("late immediate") }))
		}))
		r.advance(time.Second)
		wantOrder(t, ran.all(), "immediate", "timer")
	})
}

// T3: a panic is reported with its value and stack, and the loop goes on with the next callback.
func TestT3PanicIsReported(t *testing.T) {
	cause := errors.New("cause")
	forEachLoop(t, func(t *testing.T, r testLoop) {
		var ran collector[string]
		mustSchedule(t)(r.Immediate(func() { explode(cause) }))
		mustSchedule(t)(r.Immediate(func() { ran.add("immediate") }))
		mustSchedule(t)(r.Deferred(0, func() { explode("text") }))
		mustSchedule(t)(r.Deferred(0, func() { ran.add("timer") }))
		r.advance(0)
		wantOrder(t, ran.all(), "immediate", "timer")
		errs := r.errs()
		if len(errs) != 2 {
			t.Fatalf("reported %v, want two panics", errs)
		}
		if !errors.Is(errs[0], cause) {
			t.Errorf("%v doesn't wrap the error that was the panic's value", errs[0])
		}
		for i, err := range errs {
			var p *tool.PanicError
			if !errors.As(err, &p) {
				t.Fatalf("reported %T, want *PanicError", err)
			}
			if !strings.Contains(string(p.Stack), "explode") {
				t.Errorf("stack lacks the function that panicked:\n%s", p.Stack)
			}
			if want := []string{"tool: callback panicked: cause", "tool: callback panicked: text"}[i]; err.Error() != want {
				t.Errorf("Error() = %q, want %q", err.Error(), want)
			}
		}
		if errors.Unwrap(errs[1]) != nil {
			t.Errorf("unwraps to %v, want nil for a value that is no error", errors.Unwrap(errs[1]))
		}
	})
}

func explode(value any) { panic(value) }

func TestMisuse(t *testing.T) {
	forEachLoop(t, func(t *testing.T, r testLoop) {
		for _, c := range []struct {
			reason string
			call   func() (tool.Handle, error)
			want   error
		}{
			{"nil immediate", func() (tool.Handle, error) { return r.Immediate(nil) }, tool.ErrNilFunc},
			{"nil timer", func() (tool.Handle, error) { return r.Deferred(0, nil) }, tool.ErrNilFunc},
			{"negative delay", func() (tool.Handle, error) { return r.Deferred(-1, func() {}) }, tool.ErrNegativeDelay},
		} {
			if h, err := c.call(); h != 0 || !errors.Is(err, c.want) {
				t.Errorf("%s: handle %x, error %v; want 0, %v", c.reason, h, err, c.want)
			}
		}
	})
}

func TestInLoop(t *testing.T) {
	forEachLoop(t, func(t *testing.T, r testLoop) {
		if r.InLoop() {
			t.Error("in the loop outside of it")
		}
		var answers collector[bool]
		ask := func() {
			answers.add(r.InLoop())
			var other sync.WaitGroup
			other.Go(func() { answers.add(!r.InLoop()) })
			other.Wait()
		}
		mustSchedule(t)(r.Immediate(ask))
		mustSchedule(t)(r.Deferred(time.Second, ask))
		r.advance(time.Second)
		if got := answers.all(); !slices.Equal(got, []bool{true, true, true, true}) {
			t.Errorf("answers %v, want all true", got)
		}
	})
}

func TestInLoopFirstAskedElsewhere(t *testing.T) {
	forEachLoop(t, func(t *testing.T, r testLoop) {
		mustSchedule(t)(r.Immediate(func() {
			var other sync.WaitGroup
			other.Go(func() {
				if r.InLoop() {
					t.Error("another goroutine is in the loop")
				}
			})
			other.Wait()
		}))
		r.advance(0)
	})
}

func TestInLoopFirstAskedInside(t *testing.T) {
	forEachLoop(t, func(t *testing.T, r testLoop) {
		mustSchedule(t)(r.Immediate(func() {
			if !r.InLoop() {
				t.Error("a callback is not in the loop")
			}
		}))
		r.advance(0)
	})
}

func TestHostOfALoop(t *testing.T) {
	forEachLoop(t, func(t *testing.T, r testLoop) {
		h := r.Host()
		if h == nil || h != r.Host() {
			t.Fatal("no host, or not always the same")
		}
		before := h.Now()
		r.advance(time.Minute)
		if passed := h.Now() - before; passed != time.Minute {
			t.Errorf("the clock moved by %v in a minute", passed)
		}
		if turn := h.Turn(); turn.Steps != 100 || turn.Time != time.Millisecond || turn.Pick != nil || turn.At != nil {
			t.Errorf("turn %+v, want the defaults of rule O4", turn)
		}
		reported := errors.New("reported")
		h.Report(reported)
		if errs := r.errs(); len(errs) != 1 || errs[0] != reported {
			t.Errorf("reported %v", errs)
		}
	})
}
