package laws_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// loadAskers draws runs, which may ask for shared work: each text is a run, and each letter a step.
var loadAskers = rapid.SliceOfN(rapid.StringMatching("[dmbos]{1,6}"), 1, 8)

// service is the work that the loops of a group share.
type service struct {
	loops *tool.Group
	memo  *share.Memo[string, string]
	batch *share.Batch[string, string]
}

func newService(lifetime time.Duration) *service {
	s := &service{loops: tool.NewGroup(3, tool.Options{})}
	s.batch = share.NewBatch(share.BatchPolicy{Window: 3 * time.Millisecond, Most: 3}, flow.Then(step.Delay[[]string](4*time.Millisecond),
		step.Map(func(keys []string) []share.Answer[string] {
			all := make([]share.Answer[string], len(keys))
			for i, k := range keys {
				all[i].Value = k + "b"
			}
			return all
		})))
	s.memo = share.NewMemo(share.MemoPolicy{Lifetime: lifetime}, flow.Then( // a load that asks for another, on a loop of the group
		step.Map(func(k string) string { return k + "m" }), flow.On(s.loops, s.batch.Get())))
	return s
}

// plan returns the plan of a run that loadAskers has drawn, and the text that it appends to its input.
func (s *service) plan(run string) (p flow.Plan[string, string], want string) {
	p = flow.Of(step.Delay[string](0))
	for _, c := range run {
		switch c {
		case 'd':
			p = flow.Then(p, step.Delay[string](5*time.Millisecond))
		case 'm':
			p, want = flow.Then(p, s.memo.Get()), want+"mb"
		case 'b':
			p, want = flow.Then(p, s.batch.Get()), want+"b"
		case 'o':
			p, want = flow.Then(p, flow.On(s.loops, s.batch.Get())), want+"b"
		case 's':
			p, want = flow.Then(p, flow.Shield(s.memo.Get())), want+"mb"
		}
	}
	return p, want
}

// Law 86, M10: a patient shutdown changes nothing for runs that have begun and ask for shared work. The shutdown returns nil when
// they have ended, and no run begins after that.
func TestM10PatientShutdownChangesNothing(t *testing.T) {
	asked := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs := loadAskers.Draw(rt, "runs")
		lifetime := rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(rt, "lifetime")
		after := time.Duration(rapid.IntRange(0, 40).Draw(rt, "shutdown at")) * time.Millisecond
		synctest.Test(t, func(*testing.T) {
			s := newService(lifetime)
			var begun []*flow.Running[string]
			var want []string
			for i, run := range runs {
				p, w := s.plan(run)
				in := strconv.Itoa(i % 3)
				begun, want = append(begun, flow.Start(context.Background(), s.loops.Next(), p, in)), append(want, in+w)
			}
			time.Sleep(after)
			for _, run := range begun {
				if _, err := run.Result(); errors.Is(err, flow.ErrRunning) {
					asked++
				}
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
			defer cancel()
			if err := s.loops.Shutdown(ctx); err != nil {
				rt.Errorf("shutdown: %v", err)
			}
			for i, run := range begun {
				if v, err := run.Result(); v != want[i] || err != nil {
					rt.Errorf("run %q: %q, %v; want %q", runs[i], v, err, want[i])
				}
			}
			if _, err := flow.Start(context.Background(), s.loops.Next(), s.memo.Get(), "x").Result(); !errors.Is(err, tool.ErrShutdown) {
				rt.Errorf("a run after the shutdown: %v", err)
			}
		})
	})
	if asked == 0 {
		t.Error("no run was left at a shutdown: the test tests nothing")
	}
}
