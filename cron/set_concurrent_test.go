package cron_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// single fails the test if two rounds of one name are at work side by side.
type single struct {
	t      *testing.T
	atWork sync.Map // of *atomic.Int32
	rounds atomic.Int32
}

func (s *single) job(name string, takes, period time.Duration, overlap cron.Overlap) cron.Job {
	v, _ := s.atWork.LoadOrStore(name, new(atomic.Int32))
	n, _ := v.(*atomic.Int32)
	return cron.Job{Name: name, Period: period, Overlap: overlap, Work: flow.Grace(-1, step.Act(func(ctx context.Context) error {
		if n.Add(1) > 1 {
			s.t.Error("two rounds of", name)
		}
		defer n.Add(-1)
		s.rounds.Add(1)
		select {
		case <-ctx.Done():
		case <-time.After(takes):
		}
		return nil
	}))}
}

// Methods are called by any goroutine, at any time of a run.
func TestSetByManyCallers(t *testing.T) {
	for name, start := range map[string]func(ctx context.Context, table *cron.Table) func() error{
		"on a loop": func(ctx context.Context, table *cron.Table) func() error {
			loop := tool.Start(tool.Options{})
			run := flow.Start(ctx, loop, table.Plan(), step.Unit{})
			return func() error {
				_, err := run.Wait(context.Background())
				if end := loop.Shutdown(context.Background()); end != nil {
					t.Error(end)
				}
				return err
			}
		},
		"by Run": func(ctx context.Context, table *cron.Table) func() error {
			done := make(chan error, 1)
			go func() {
				_, err := flow.Run(ctx, table.Plan(), step.Unit{})
				done <- err
			}()
			return func() error { return <-done }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &single{t: t}
				seconds := func(r *rand.Rand, n int64) time.Duration { return time.Duration(r.Int64N(n * int64(time.Second))) }
				jobs := func(r *rand.Rand) []cron.Job {
					var all []cron.Job
					for i := range 6 {
						if r.IntN(3) > 0 {
							takes, period := seconds(r, 3)+1, seconds(r, 2)+time.Millisecond
							all = append(all, s.job(fmt.Sprint(i), takes, period, cron.Overlap(r.IntN(4))))
						}
					}
					return all
				}
				for round := range uint64(4) {
					table := cron.New(jobs(rand.New(rand.NewPCG(round, 9)))...)
					wait := start(t.Context(), table)
					var callers sync.WaitGroup
					for caller := range uint64(4) {
						callers.Go(func() {
							r := rand.New(rand.NewPCG(round, caller))
							for range 50 {
								time.Sleep(seconds(r, 1))
								name := fmt.Sprint(r.IntN(6))
								for _, act := range []func() error{
									func() error { return table.Set(jobs(r)...) },
									func() error { _ = table.RunNow(name); return nil },
									func() error { _ = table.Pause(name); return nil },
									func() error { _ = table.Resume(name); return nil },
								} {
									if err := act(); err != nil {
										t.Error(err)
									}
								}
								_ = table.List()
							}
						})
					}
					callers.Wait()
					last := s.job("last", time.Millisecond, time.Second, cron.Skip)
					set(t, table, last)
					time.Sleep(5 * time.Second)
					if list := table.List(); len(list) != 1 || list[0].Rounds < 4 || list[0].Next.IsZero() {
						t.Errorf("after the last Set: %+v", list)
					}
					table.Stop()
					if err := wait(); err != nil {
						t.Error(err)
					}
					if list := table.List(); len(list) != 1 || !list[0].Running.IsZero() {
						t.Errorf("after the run: %+v", list)
					}
					set(t, table, last) // nothing comes of it
				}
				if s.rounds.Load() < 100 {
					t.Error("rounds:", s.rounds.Load())
				}
			})
		})
	}
}

// Set may come while the run begins and while it ends.
func TestSetBesideTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &single{t: t}
		loop := tool.Start(tool.Options{})
		table := cron.New(s.job("a", time.Second, time.Second, cron.Skip))
		for range 30 {
			ctx, cancel := context.WithCancel(t.Context())
			run := flow.Start(ctx, loop, table.Plan(), step.Unit{})
			var callers sync.WaitGroup
			for i := range 4 {
				callers.Go(func() {
					for range 20 {
						set(t, table, s.job("a", time.Second, time.Second, cron.Replace), s.job(fmt.Sprint(i), time.Second, time.Second, cron.Later))
					}
				})
			}
			callers.Go(cancel)
			callers.Wait()
			_, _ = run.Wait(context.Background())
		}
		set(t, table, s.job("b", time.Millisecond, time.Second, cron.Skip))
		run := flow.Start(t.Context(), loop, table.Plan(), step.Unit{})
		time.Sleep(10 * time.Second)
		if list := table.List(); len(list) != 1 || list[0].Rounds < 9 {
			t.Errorf("%+v", list)
		}
		table.Stop()
		if _, err := run.Wait(context.Background()); err != nil {
			t.Error(err)
		}
		if err := loop.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// The round that RunNow asks for has the values of the Set before it.
func TestSetBeforeRunNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		did := make(chan int, 1)
		job := func(n int) cron.Job {
			work := step.Act(func(context.Context) error { did <- n; return nil })
			return cron.Job{Name: "a", Period: time.Hour, Work: work, Overlap: cron.Later}
		}
		table := cron.New(job(0))
		loop := tool.Start(tool.Options{})
		run := flow.Start(t.Context(), loop, table.Plan(), step.Unit{})
		synctest.Wait()
		for n := range 50 {
			set(t, table, job(n))
			if err := table.RunNow("a"); err != nil {
				t.Fatal(err)
			}
			if got := <-did; got != n {
				t.Errorf("the job of Set %d, want %d", got, n)
			}
		}
		table.Stop()
		if _, err := run.Wait(context.Background()); err != nil {
			t.Error(err)
		}
		if err := loop.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
