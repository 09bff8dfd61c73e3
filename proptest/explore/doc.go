// Package explore runs a test under many schedules to find one that breaks it.
//
// Callbacks of an event loop can run in many orders: another ready callback may go
// first, or another branch of a parallel step, and a cancel or an answer from
// outside may come before or after the next step. A test sees one order. [Check]
// runs its body in many orders, on a virtual loop:
//
//	explore.Check(t, explore.Bounds{}, func(x *explore.Trial) error {
//		run := explore.Start(ctx, x, plan, in)
//		x.Run(explore.Action{Name: "cancel", Do: func() { run.Cancel(nil) }})
//		...
//	})
//
// Events from outside are tried at every point. A cancel or a completion is an [Action]; [Trial.Slow]
// lets timeouts fire.
//
// A schedule is a list of answers to questions: which of n things goes next? The answer 0 is the plain order: first come, first
// served, timers and actions last. In this order runs and their branches take turns after each step, unlike on an ordinary loop.
// Small tests are explored exhaustively, larger ones up to a bound, and at random from a seed. A failure reports a simplified
// schedule, the plans that [Start] has run, and the command that replays the schedule.
//
// A search may bound the delays of a schedule, which are its departures from the plain order. A low
// bound keeps the number of schedules small.
//
// Runs and actions that share nothing can be declared to be apart, see [Trial.Apart]: then fewer orders are tried.
//
// [Reproduce] makes a test from an [Incident], the recording of runs in production.
//
// The package isn't part of tool because it is only for tests, and depends on plans.
package explore
