// Package explore runs a test under many schedules and finds the one that
// breaks it.
//
// What runs on an event loop runs in some order: which ready callback goes
// first, which branch of a parallel step, whether a cancel or an answer from
// outside comes before or after the next step. A test sees one order. [Check]
// runs its body in many orders, on a virtual loop:
//
//	explore.Check(t, explore.Bounds{}, func(x *explore.Trial) error {
//		run := explore.Start(ctx, x, plan, in)
//		x.Run(explore.Action{Name: "cancel", Do: func() { run.Cancel(nil) }})
//		...
//	})
//
// What comes from outside is injected at every point: cancels and completions as
// an [Action], timeouts by [Trial.Slow].
//
// A schedule is a list of answers to the question which of n goes next. 0 is the plain order: first come, first served, timers
// and actions last. In this order runs and their branches take turns after each step, unlike on an ordinary loop. Small tests are
// explored exhaustively, larger ones up to a bound, and at random from a seed. A failure reports a simplified schedule, the plans
// that [Start] has run, and the command that replays it.
//
// A search may bound the delays of a schedule: how often it may depart from the plain order. A bound
// of few delays keeps the number of schedules small.
//
// Runs and actions that share nothing can be declared to be apart, see [Trial.Apart]: then fewer orders are tried.
//
// [Reproduce] makes a test from an [Incident], the recording of runs in production.
//
// The package isn't part of tool because it is only for tests, and depends on plans.
package explore
