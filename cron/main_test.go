package cron_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// start is when the loop of a clock begins: 25 seconds before noon.
var start = time.Date(2026, 3, 1, 11, 59, 35, 0, time.UTC)

// clock is a loop in virtual time, and a log of what happened when.
type clock struct {
	*tooltest.Loop

	log []string
}

func newClock() *clock {
	return &clock{Loop: tooltest.New(tooltest.WithLimit(100_000), tooltest.WithHost(tool.WithStart(start)))}
}

// note logs an event with the seconds since noon, as in "60 begin".
func (c *clock) note(as step.Scope, event string) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c.log = append(c.log, fmt.Sprintf("%v %s", as.Now().Sub(noon).Seconds(), event))
}

func (c *clock) String() string { return strings.Join(c.log, ", ") }

// work returns a step that logs when it begins, and then "end" after the given time, or "left" if it is left before.
func (c *clock) work(takes time.Duration) step.Step[step.Unit, step.Unit] {
	begin := step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) { c.note(as, "begin"); return u, nil })
	end := step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) { c.note(as, "end"); return u, nil })
	pause := flow.OnCancel(step.Delay[step.Unit](takes), func(as step.Scope) { c.note(as, "left") })
	return flow.Then(begin, flow.Then(pause, end))
}

func (c *clock) run(t *testing.T, table *cron.Table) *flow.Running[step.Unit] {
	t.Helper()
	if err := table.Plan().Err(); err != nil {
		t.Fatal(err)
	}
	return flow.Start(t.Context(), c.Loop, table.Plan(), step.Unit{})
}

func ended(t *testing.T, run *flow.Running[step.Unit]) {
	t.Helper()
	if _, err := run.Result(); err != nil {
		t.Error("the run:", err)
	}
}

func living(t *testing.T, run *flow.Running[step.Unit]) {
	t.Helper()
	if _, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
		t.Error("the run has ended:", err)
	}
}

func want(t *testing.T, c *clock, log string) {
	t.Helper()
	if got := c.String(); got != log {
		t.Errorf("got  %s\nwant %s", got, log)
	}
}
