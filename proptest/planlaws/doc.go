// Package planlaws tests a plan of yours against the laws that every plan should keep: it ends, it
// releases what it has acquired, nothing of it runs on after its end, no error is lost, it does the
// same each time.
//
//	func TestTransfer(t *testing.T) {
//		planlaws.Check(t, planlaws.Subject[Order, Receipt]{
//			Plan: func(w *planlaws.World) flow.Plan[Order, Receipt] {
//				return NewTransfer(fakeBank{w})
//			},
//			Input: func(r *rand.Rand) Order { return Order{Amount: r.IntN(100)} },
//		})
//	}
//
// [Check] draws inputs, and runs the plan with each of them many times, in virtual time: in plain order and under other
// schedules, with a cancel before each callback of the loop, with a limit that passes before each callback, and with an error and
// a panic at each call of a fake. If there are more points of a kind than Subject.Points, it tries only that many. The laws and
// their statements are the constants of [Law].
//
// # Fakes
//
// The plan is made with a [World]. Its fakes tell the World what they do: [World.Call] where the real
// thing may fail, [World.Acquire] and [World.Release] for what must be given back. What isn't told
// isn't checked. Each execution of a step.Await counts as a Call as well.
//
// The function of a step.Await runs on the goroutine of the test, and its result comes a millisecond of
// virtual time later. So the function must not block: no sleep, no channel that somebody else must serve. Stages of
// package stream that have goroutines of their own, such as stream.Chan, Await and Consume, do block: with these, Check reports a
// broken [Ends], or hangs.
//
// # Plans that are drawn
//
// If a program composes its plans, from a configuration for example, let [pgregory.net/rapid] draw them: the generator gives a
// description of the plan, as data, and Subject.Plan makes the plan from it. The example of [Verify] named DrawnPlans is such a
// generator; it can be copied.
//
// # Replay
//
// A failure of a run names the law, the input, and what happened when, with the command that runs this one case:
//
//	PLANLAWS_REPLAY=3/cancel=5 go test -run '^TestTransfer$' .
package planlaws
