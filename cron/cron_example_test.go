package cron_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Two jobs, in virtual time. In a program the loop is one of tool.Start.
func Example() {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	loop := tooltest.New(tooltest.WithHost(tool.WithStart(noon), tool.WithOnError(func(err error) { fmt.Println(err) })))

	sweep := step.Map(func(u step.Unit) step.Unit { fmt.Println("swept"); return u })
	report := step.Func(func(_ step.Scope, what string) (int, error) { return 0, errors.New("no " + what) })
	jobs := cron.New(
		cron.Job{Name: "sweep", Next: cron.Every(time.Minute), Work: sweep, Limit: 30 * time.Second},
		cron.Job{Name: "report", Next: cron.Every(2 * time.Minute), Work: cron.Of(report, "sales"), Overlap: cron.Later},
	)
	run := flow.Start(context.Background(), loop, jobs.Plan(), step.Unit{})
	loop.Advance(2 * time.Minute)
	show := func(j cron.State) { fmt.Println(j.Name, j.Rounds, j.Failed, j.Next.Format(time.TimeOnly)) }
	for _, j := range jobs.List() {
		show(j)
	}
	jobs.Stop()
	loop.Run()
	fmt.Println(run.Result())
	// Output:
	// swept
	// cron: job report: no sales
	// swept
	// sweep 2 0 12:03:00
	// report 1 1 12:04:00
	// {} <nil>
}

func ExampleEvery() {
	next := cron.Every(15 * time.Minute)
	fmt.Println(next(time.Date(2026, 3, 1, 12, 7, 0, 0, time.UTC)).Format(time.TimeOnly))
	// Output: 12:15:00
}

// A plan with an input of its own is the work of a job.
func ExampleOf() {
	backup := step.Await(func(_ context.Context, folder string) (int, error) {
		fmt.Println("backup of", folder)
		return 42, nil
	})
	fmt.Println(flow.Run(context.Background(), cron.Of(backup, "/home"), step.Unit{}))
	// Output:
	// backup of /home
	// {} <nil>
}

// RunNow does a round that isn't due.
func ExampleNew() {
	loop := tooltest.New()
	sweep := step.Map(func(u step.Unit) step.Unit { fmt.Println("swept"); return u })
	jobs := cron.New(cron.Job{Name: "sweep", Next: cron.Every(time.Hour), Work: sweep})
	run := flow.Start(context.Background(), loop, jobs.Plan(), step.Unit{})
	loop.Advance(0)
	fmt.Println(jobs.RunNow("sweep"))
	fmt.Println(jobs.RunNow("swipe"))
	loop.Advance(0)
	run.Cancel(nil)
	loop.Run()
	// Output:
	// <nil>
	// InvalidRequest: cron: the table has no such job: swipe
	// swept
}

// A job does nothing by its times between Pause and Resume.
func ExampleTable_Pause() {
	loop := tooltest.New(tooltest.WithHost(tool.WithStart(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))))
	sweep := step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) {
		fmt.Println("swept at", as.Now().Format(time.TimeOnly))
		return u, nil
	})
	jobs := cron.New(cron.Job{Name: "sweep", Next: cron.Every(time.Hour), Work: sweep})
	run := flow.Start(context.Background(), loop, jobs.Plan(), step.Unit{})
	loop.Advance(90 * time.Minute)
	fmt.Println(jobs.Pause("sweep"))
	loop.Advance(2 * time.Hour)
	fmt.Println(jobs.Resume("sweep"))
	loop.Advance(time.Hour)
	run.Cancel(nil)
	loop.Run()
	// Output:
	// swept at 13:00:00
	// <nil>
	// <nil>
	// swept at 16:00:00
}

// The jobs of a file that was read again: sweep has another period, report is gone, backup is new.
func ExampleTable_Set() {
	loop := tooltest.New(tooltest.WithHost(tool.WithStart(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))))
	say := func(name string) step.Step[step.Unit, step.Unit] {
		return step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) {
			fmt.Println(as.Now().Format(time.TimeOnly), name)
			return u, nil
		})
	}
	jobs := cron.New(
		cron.Job{Name: "sweep", Period: time.Hour, Work: say("sweep")},
		cron.Job{Name: "report", Period: time.Hour, Work: say("report")},
	)
	run := flow.Start(context.Background(), loop, jobs.Plan(), step.Unit{})
	loop.Advance(90 * time.Minute)
	fmt.Println(jobs.Set(
		cron.Job{Name: "sweep", Period: 20 * time.Minute, Work: say("sweep")},
		cron.Job{Name: "backup", Period: time.Hour, Work: say("backup")},
	))
	fmt.Println(jobs.Set(cron.Job{Name: "backup", Period: -1}))
	loop.Advance(time.Hour)
	for _, j := range jobs.List() {
		fmt.Println(j.Name, j.Rounds, j.Next.Format(time.TimeOnly))
	}
	run.Cancel(nil)
	loop.Run()
	// Output:
	// 13:00:00 sweep
	// 13:00:00 report
	// <nil>
	// InvalidRequest: cron: job 0, "backup": Period is below zero: -1ns
	// 13:40:00 sweep
	// 14:00:00 backup
	// 14:00:00 sweep
	// 14:20:00 sweep
	// sweep 4 14:40:00
	// backup 1 15:00:00
}

// A flow.Bracket as the work of a job hears of each round: of its begin, and of its end, however that comes about.
func ExampleJob() {
	loop := tooltest.New(tooltest.WithHost(tool.WithStart(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))))
	backup := step.Delay[time.Time](100 * time.Minute)
	begun := step.Func(func(as step.Scope, _ step.Unit) (time.Time, error) { return as.Now(), nil })
	ended := step.Func(func(as step.Scope, e flow.Ended[time.Time, time.Time]) (step.Unit, error) {
		fmt.Printf("begun at %s, ended at %s: %v\n", e.Resource.Format(time.TimeOnly), as.Now().Format(time.TimeOnly), fault.CodeOf(e.Err))
		return step.Unit{}, nil
	})
	limited := flow.Named("backup", flow.Timeout(95*time.Minute, backup)) // inside, so that its error is heard
	jobs := cron.New(cron.Job{Name: "backup", Period: time.Hour, Work: cron.Of(flow.Bracket(begun, limited, ended), step.Unit{})})
	run := flow.Start(context.Background(), loop, jobs.Plan(), step.Unit{})
	loop.Advance(4 * time.Hour)
	s := jobs.List()[0]
	fmt.Println(s.Rounds, s.Failed, s.Skipped, s.Next.Format(time.TimeOnly))
	run.Cancel(nil)
	loop.Run()
	// Output:
	// begun at 13:00:00, ended at 14:35:00: Timeout
	// 1 1 2 17:00:00
	// begun at 15:00:00, ended at 16:00:00: Cancelled
}
