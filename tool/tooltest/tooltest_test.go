package tooltest_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/seedtest"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) {
	seedtest.Fix()
	leaktest.Main(m)
}

type callbackOrder struct {
	*tooltest.Loop
	t   rapid.TB
	ran []string
}

func (s *callbackOrder) now(name string) { s.do(s.Immediate(func() { s.ran = append(s.ran, name) })) }

func (s *callbackOrder) in(d time.Duration, name string) {
	s.do(s.Deferred(d, func() { s.ran = append(s.ran, name) }))
}

func (s *callbackOrder) do(_ tool.Handle, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *callbackOrder) want(names ...string) {
	s.t.Helper()
	if !slices.Equal(s.ran, names) {
		s.t.Errorf("ran %v, want %v", s.ran, names)
	}
}

func TestStep(t *testing.T) {
	s := &callbackOrder{Loop: tooltest.New(), t: t}
	if s.Step() {
		t.Error("stepped with nothing queued")
	}
	s.in(time.Hour, "later")
	s.in(time.Minute, "sooner")
	s.now("now")
	for i, c := range []struct {
		name    string
		now     time.Duration
		pending int
	}{{"now", 0, 2}, {"sooner", time.Minute, 1}, {"later", time.Hour, 0}} {
		if !s.Step() || len(s.ran) != i+1 || s.ran[i] != c.name {
			t.Fatalf("step %d: ran %v, want one more: %s", i, s.ran, c.name)
		}
		if s.Now() != c.now || s.Pending() != c.pending {
			t.Errorf("step %d: at %v with %d pending, want %v, %d", i, s.Now(), s.Pending(), c.now, c.pending)
		}
	}
	if s.Step() {
		t.Error("stepped when all is done")
	}
}

func TestStepInsideACallback(t *testing.T) {
	s := &callbackOrder{Loop: tooltest.New(), t: t}
	stepped := true
	s.do(s.Immediate(func() { stepped = s.Step() }))
	s.now("next")
	if s.Run() != 2 || stepped {
		t.Error("a callback could step its own loop")
	}
}

func TestAdvance(t *testing.T) {
	s := &callbackOrder{Loop: tooltest.New(), t: t}
	s.in(time.Second, "1")
	s.in(3*time.Second, "3")
	s.do(s.Deferred(time.Second, func() { s.in(time.Second, "1+1") }))
	s.in(0, "0")
	for _, c := range []struct {
		d, now time.Duration
		ran    int
		names  []string
	}{
		{-time.Hour, 0, 1, []string{"0"}},
		{0, 0, 0, []string{"0"}},
		{2 * time.Second, 2 * time.Second, 3, []string{"0", "1", "1+1"}},
		{time.Second - 1, 3*time.Second - 1, 0, []string{"0", "1", "1+1"}},
		{time.Hour, time.Hour + 3*time.Second - 1, 1, []string{"0", "1", "1+1", "3"}},
	} {
		if ran := s.Advance(c.d); ran != c.ran || s.Now() != c.now {
			t.Errorf("Advance(%v): %d ran, now %v; want %d, %v", c.d, ran, s.Now(), c.ran, c.now)
		}
		s.want(c.names...)
	}
}

func TestRunUntil(t *testing.T) {
	s := &callbackOrder{Loop: tooltest.New(), t: t}
	for i := range 5 {
		s.now(fmt.Sprint(i))
	}
	if !s.RunUntil(func() bool { return len(s.ran) == 3 }) || len(s.ran) != 3 {
		t.Errorf("ran %v, want to stop after three", s.ran)
	}
	if s.RunUntil(func() bool { return false }) || len(s.ran) != 5 {
		t.Errorf("ran %v, want to give up when idle", s.ran)
	}
}

func TestLimit(t *testing.T) {
	for name, run := range map[string]func(*tooltest.Loop){
		"Run":      func(l *tooltest.Loop) { l.Run() },
		"RunUntil": func(l *tooltest.Loop) { l.RunUntil(func() bool { return false }) },
		"Advance":  func(l *tooltest.Loop) { l.Advance(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			s := &callbackOrder{Loop: tooltest.New(tooltest.WithLimit(10)), t: t}
			ran := 0
			var again func()
			again = func() { ran++; s.do(s.Immediate(again)) }
			again()
			run(s.Loop)
			if errs := s.Errors(); ran != 11 || len(errs) != 1 || !errors.Is(errs[0], tooltest.ErrLimit) {
				t.Errorf("%d ran, errors %v; want ErrLimit after ten", ran-1, errs)
			}
		})
	}
	t.Run("reached is not exceeded", func(t *testing.T) {
		s := &callbackOrder{Loop: tooltest.New(tooltest.WithLimit(1)), t: t}
		if s.now("only"); s.Run() != 1 || len(s.Errors()) != 0 {
			t.Errorf("errors %v", s.Errors())
		}
	})
}

// The chooser is asked if there is a choice among the immediates and the timers due with the earliest deadline.
func TestChooser(t *testing.T) {
	var asked []int
	s := &callbackOrder{t: t}
	s.Loop = tooltest.New(tooltest.WithChooser(func(n int) int {
		asked = append(asked, n)
		return n - 1
	}))
	s.in(time.Second, "timer 1")
	s.in(time.Second, "timer 2")
	s.in(2*time.Second, "late timer")
	s.now("a")
	s.now("b")
	s.now("c")
	s.Run()
	s.want("c", "b", "a", "timer 2", "timer 1", "late timer")
	if want := []int{3, 2, 2}; !slices.Equal(asked, want) {
		t.Errorf("asked about %v, want %v", asked, want)
	}
}

func TestChooserOrdersTimersAgainstImmediates(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(50) {
		s := &callbackOrder{Loop: tooltest.New(tooltest.WithSeed(seed)), t: t}
		s.do(s.Immediate(func() {
			s.in(0, "timer")
			s.now("immediate")
		}))
		s.Run()
		seen[fmt.Sprint(s.ran)] = true
	}
	if len(seen) != 2 {
		t.Errorf("seen %v, want both orders", seen)
	}
}

// A chooser may cancel the very callback that it chooses: then it is asked again.
func TestChooserCancelsWhatItChooses(t *testing.T) {
	var first tool.Handle
	asked := 0
	s := &callbackOrder{t: t}
	s.Loop = tooltest.New(tooltest.WithChooser(func(int) int {
		asked++
		s.Cancel(first)
		return 0
	}))
	first, _ = s.Immediate(func() { t.Error("the cancelled callback ran") })
	s.now("a")
	s.now("b")
	s.now("c")
	if n := s.Run(); n != 3 || s.Pending() != 0 {
		t.Errorf("%d callbacks ran, %d wait", n, s.Pending())
	}
	if s.want("a", "b", "c"); asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}

func TestChooserOutOfRange(t *testing.T) {
	for _, answer := range []int{-1, 2} {
		s := &callbackOrder{Loop: tooltest.New(tooltest.WithChooser(func(int) int { return answer })), t: t}
		s.now("a")
		s.now("b")
		s.Run()
		s.want("a", "b")
		if errs := s.Errors(); len(errs) != 1 || !errors.Is(errs[0], tooltest.ErrChoice) {
			t.Errorf("answer %d: errors %v", answer, errs)
		}
		if pick := s.Host().Turn().Pick; pick(2) != 0 || len(s.Errors()) != 2 {
			t.Errorf("answer %d: fibers are picked unchecked", answer)
		}
	}
}

// The same seed gives the same order, and among many seeds each order occurs.
func TestSeed(t *testing.T) {
	order := func(seed uint64) string {
		s := &callbackOrder{Loop: tooltest.New(tooltest.WithSeed(seed)), t: t}
		for _, name := range []string{"a", "b", "c"} {
			s.now(name)
		}
		s.Run()
		return fmt.Sprint(s.ran)
	}
	seen := map[string]bool{}
	for seed := range uint64(200) {
		first := order(seed)
		if again := order(seed); again != first {
			t.Fatalf("seed %d: %s, then %s", seed, first, again)
		}
		seen[first] = true
	}
	if len(seen) != 6 {
		t.Errorf("seen %d orders of three, want 6: %v", len(seen), seen)
	}
}

// With a chooser a turn has one step, and the chooser selects the fiber.
func TestTurn(t *testing.T) {
	if turn := tooltest.New(nil).Host().Turn(); turn.Steps != 100 || turn.Pick != nil {
		t.Errorf("plain: %+v", turn)
	}
	turn := tooltest.New(tooltest.WithChooser(func(n int) int { return n - 1 })).Host().Turn()
	if turn.Steps != 1 || turn.Pick == nil || turn.Pick(3) != 2 {
		t.Errorf("with a chooser: %+v", turn)
	}
}

// The callbacks come from other goroutines.
func TestOtherGoroutines(t *testing.T) {
	l := tooltest.New()
	const n = 100
	ran := 0
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if _, err := l.Immediate(func() { ran++ }); err != nil {
				t.Error(err)
			}
			h, err := l.Deferred(time.Second, func() { t.Error("ran after cancel") })
			if err != nil || !l.Cancel(h) {
				t.Error("cancel failed")
			}
		})
	}
	l.RunUntil(func() bool { return ran > 0 })
	all.Wait()
	l.Run()
	if ran != n {
		t.Errorf("%d ran, want %d", ran, n)
	}
}

// T1: timers run by deadline and then by arrival, and time never goes back. With a chooser those with equal
// deadlines may change places.
func TestT1Property(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var with []tooltest.Option
		drawn := rapid.Bool().Draw(t, "drawn")
		if drawn {
			with = append(with, tooltest.WithChooser(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }))
		}
		s := &callbackOrder{Loop: tooltest.New(with...), t: t}
		type firing struct {
			deadline time.Duration
			arrival  int
		}
		var fired []firing
		arrivals := 0
		var arm func(depth int)
		arm = func(depth int) {
			for range rapid.IntRange(0, 4).Draw(t, "timers") {
				d := time.Duration(rapid.IntRange(0, 3).Draw(t, "delay"))
				f := firing{s.Now() + d, arrivals}
				arrivals++
				s.do(s.Deferred(d, func() {
					if s.Now() != f.deadline {
						t.Fatalf("fired at %v, want %v", s.Now(), f.deadline)
					}
					fired = append(fired, f)
					if depth > 0 {
						arm(depth - 1)
					}
				}))
			}
		}
		arm(2)
		s.Run()
		if len(fired) != arrivals {
			t.Fatalf("%d of %d fired", len(fired), arrivals)
		}
		if !slices.IsSortedFunc(fired, func(a, b firing) int {
			if drawn || a.deadline != b.deadline {
				return int(a.deadline - b.deadline)
			}
			return a.arrival - b.arrival
		}) {
			t.Fatalf("fired in the order %v", fired)
		}
	})
}

func TestLag(t *testing.T) {
	order := func(with ...tooltest.Option) (order []string) {
		l := tooltest.New(with...)
		note := func(what string) func() { return func() { order = append(order, fmt.Sprint(what, "@", int(l.Now()))) } }
		_, _ = l.Deferred(10, note("timer"))
		if l.Ahead() != 0 {
			t.Errorf("with nothing ready the timer is %v ahead", l.Ahead())
		}
		_, _ = l.Immediate(note("ready"))
		if l.Ahead() != 10 {
			t.Errorf("the timer is %v ahead", l.Ahead())
		}
		l.Lag(-1)
		l.Lag(l.Ahead() + 5)
		if l.Now() != 15 || l.Ahead() != 0 || len(order) != 0 {
			t.Errorf("now %v, the timer is %v ahead, ran %v", l.Now(), l.Ahead(), order)
		}
		l.Run()
		return order
	}
	if got := order(); !slices.Equal(got, []string{"ready@15", "timer@15"}) {
		t.Errorf("in plain order: %v", got)
	}
	last := tooltest.WithChooser(func(n int) int { return n - 1 })
	if got := order(last); !slices.Equal(got, []string{"timer@15", "ready@15"}) {
		t.Errorf("the timer chosen: %v", got)
	}
}
