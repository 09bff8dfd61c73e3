package flow_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// P9: the attempt of a retry around the step counts for the run on the other loop.
func TestP9OnKnowsTheAttempt(t *testing.T) {
	g := newGroup(t, 2)
	var attempts [][2]int
	say := step.Func(func(as step.Scope, in int) (int, error) {
		attempts = append(attempts, [2]int{as.Attempt(), retry.Attempt(as.Context())})
		if as.Attempt() < 3 {
			return 0, errFirst
		}
		return in, nil
	})
	for name, s := range map[string]step.Step[int, int]{
		"on":            flow.On(g, say),
		"nested":        flow.On(g, flow.On(g, flow.Then(plantest.Add(0), say))),
		"in a branch":   sum[int](flow.Par(flow.On(g, say))),
		"in a linger":   flow.Linger(time.Minute, flow.On(g, say)),
		"with a linger": flow.On(g, flow.Linger(time.Minute, say)),
	} {
		attempts = nil
		v, err := flow.Run(t.Context(), retry.Of(retry.Policy{Tries: 3}, s), 1)
		if v != 1 || err != nil || !slices.Equal(attempts, [][2]int{{1, 1}, {2, 2}, {3, 3}}) {
			t.Errorf("%s: %d, %v, attempts %v", name, v, err, attempts)
		}
	}
	inner := flow.On(g, retry.Of(retry.Policy{Tries: 3}, say))
	attempts = nil
	if _, err := flow.Run(t.Context(), retry.Of(retry.Policy{Tries: 5}, inner), 1); err != nil || len(attempts) != 3 {
		t.Errorf("the nearest retry: %v, attempts %v", err, attempts)
	}
}

func TestC8GraceAroundOn(t *testing.T) {
	for name, c := range map[string]struct {
		around func(g *tool.Group, s step.Step[int, int]) step.Step[int, int]
		want   time.Duration
	}{
		"none": {func(g *tool.Group, s step.Step[int, int]) step.Step[int, int] { return flow.On(g, s) }, 2 * time.Second},
		"around": {func(g *tool.Group, s step.Step[int, int]) step.Step[int, int] {
			return flow.Grace(time.Minute, flow.On(g, s))
		}, time.Minute},
		"around, without limit": {func(g *tool.Group, s step.Step[int, int]) step.Step[int, int] {
			return flow.Grace(-1, flow.On(g, s))
		}, time.Hour},
		"further out": {func(g *tool.Group, s step.Step[int, int]) step.Step[int, int] {
			return flow.Grace(time.Minute, flow.On(g, sum[int](flow.Par(flow.On(g, s)))))
		}, time.Minute},
		"inside": {func(g *tool.Group, s step.Step[int, int]) step.Step[int, int] {
			return flow.Grace(-1, flow.On(g, flow.Grace(time.Minute, s)))
		}, time.Minute},
		"around a linger": {func(g *tool.Group, s step.Step[int, int]) step.Step[int, int] {
			return flow.Grace(time.Minute, flow.Linger(3*time.Hour, flow.On(g, s)))
		}, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := tool.NewGroup(1, tool.Options{Grace: 2 * time.Second, OnError: func(error) {}})
				defer func() {
					if err := g.Shutdown(t.Context()); err != nil {
						t.Error(err)
					}
				}()
				begun := time.Now()
				p := flow.Timeout(time.Second, c.around(g, ignoresContext(time.Hour+time.Second)))
				_, err := flow.Run(t.Context(), p, 1)
				if took := time.Since(begun) - time.Second; !errors.Is(err, fault.Timeout) || took != c.want {
					t.Errorf("%v, left after %v, want %v", err, took, c.want)
				}
				virtualSleep(2 * time.Hour)
			})
		})
	}
}

// The path of a step on another loop is read while the run around it does other things.
func TestP9OnAndErrorsAround(t *testing.T) {
	g := newGroup(t, 2)
	path := step.Func(func(as step.Scope, in int) (int, error) {
		if p := as.Path(); p != "0/par.0/0/0/1" {
			t.Errorf("path %s", p)
		}
		return in, nil
	})
	p := sum[int](flow.Par(flow.On(g, flow.On(g, flow.Then(plantest.Add(0), path))), step.Func(fail)))
	for range 50 {
		if _, err := flow.Run(t.Context(), p, 1); !errors.Is(err, errFirst) {
			t.Error(err)
		}
	}
}
