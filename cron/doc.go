// Package cron runs jobs again and again, by a period or a calendar. A job may have a limit, jitter, and a rule for times that come
// while a round is at work. A table lists when its jobs are due, which are at work and how the last rounds have ended. It can be
// given other jobs while it runs. When it is stopped, rounds at work are completed.
//
//	jobs := cron.New(
//		cron.Job{Name: "sweep", Next: cron.Every(time.Minute), Work: step.Act(sweep), Limit: 30 * time.Second},
//		cron.Job{Name: "report", Next: nightly.Next, Work: cron.Of(report, "sales"), Overlap: cron.Later},
//	)
//	run := flow.Start(ctx, loop, jobs.Plan(), step.Unit{})
//	…
//	jobs.Stop() // the run ends when the rounds that are at work have ended
//
// A calendar is any function from a time to the next one, such as the method of a parsed expression
// of github.com/robfig/cron. For one endless loop without a list loopx.Every and loopx.Schedule are
// enough.
package cron
