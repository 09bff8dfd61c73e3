package bench

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	robfig "github.com/robfig/cron/v3"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// Jobs: n empty jobs, each of which is due at each full second. An operation is a second with one round of each job, so only
// the processor time of a round, as cpu-ns/round, says something.
//
// robfig/cron has a goroutine for each round.
func BenchmarkJobs(b *testing.B) {
	for _, n := range []int{20, 2000} {
		b.Run(fmt.Sprintf("col=asyncsteps/n=%d", n), func(b *testing.B) {
			var worked sync.WaitGroup
			jobs := make([]cron.Job, n)
			for i := range jobs {
				jobs[i] = cron.Job{Name: fmt.Sprint(i), Next: nextSecond, Work: step.Act(func(context.Context) error {
					worked.Done()
					return nil
				})}
			}
			loop := tool.Start(tool.Options{})
			ctx, cancel := context.WithCancel(background)
			seconds(b, n, &worked, func() { flow.Start(ctx, loop, cron.New(jobs...).Plan(), step.Unit{}) })
			cancel()
			_ = loop.Shutdown(background)
		})
		b.Run(fmt.Sprintf("col=robfig/n=%d", n), func(b *testing.B) {
			var worked sync.WaitGroup
			table := robfig.New(robfig.WithSeconds())
			for range n {
				if _, err := table.AddFunc("* * * * * *", worked.Done); err != nil {
					b.Fatal(err)
				}
			}
			seconds(b, n, &worked, table.Start)
			<-table.Stop().Done()
		})
	}
}

func nextSecond(after time.Time) time.Time { return after.Truncate(time.Second).Add(time.Second) }

// seconds measures rounds of n jobs that worked counts, without the first round, in which plans are compiled.
func seconds(b *testing.B, n int, worked *sync.WaitGroup, start func()) {
	b.Helper()
	worked.Add(n)
	start()
	worked.Wait()
	report := processors(b)
	for b.Loop() {
		worked.Add(n)
		worked.Wait()
	}
	report(n, "ns/round")
}
