// Package frame is the untyped machine that executes compiled plans: no type
// parameter, no reflection, no unsafe. Package plan puts types on it.
//
// # Files
//
// One noun, one file. What is compiled: level.go, a sequence of steps; op.go, what a step does.
// What executes it: activation.go, what a run holds of a level; frame.go, a level of a fiber and its current
// step; fiber.go; run.go; state.go, every move between the states of fibers and steps; launch.go and finish.go, how a run
// begins and ends; adapter.go, loops of other packages.
//
// Which fiber goes on: ready.go, the queue of those that can; posts.go, what goroutines bring; turn.go, the turns of a run;
// budget.go, how long they are; advance.go, the hot loop; transit.go, what goes before steps begin; due.go, what is put off.
//
// What a step waits for: wait.go; complete.go, how a wait is completed; worker.go, its goroutine; fork.go, branches;
// race.go, the fork that a few of them decide; survived.go, the errors of the others; shield.go, the fork that isn't
// left; leavefork.go, how branches are left; within.go, a run of its own, as a rule on another loop; linger.go, a part:
// a run of its own on the same loop, for which the step needn't wait when it is left; part.go, what the two runs know
// of each other.
//
// What a step has: resources.go, hook and cleanups; limit.go; stopwatch.go, which begins as limits do; context.go;
// attempt.go, which attempt of a retry it is; vars.go; ref.go, its name for others; path.go, its place; around.go,
// what is set by steps around it.
//
// How a step is left: unwind.go, by an error; ask.go, its handler; recover.go, by a panic; jump.go, by break or
// continue; cut.go, by its limit; lease.go, by a guard; cancel.go, by the cancel of the run; commit.go, when it is too late
// for a cancel; depart.go, the end of a fiber.
//
// What others are told: trail.go, the way of an error; report.go, the error of a run; watch.go, events.
//
// # Frames
//
// A [Run] executes an [Activation] on one loop. Each of its flows is a [Fiber]:
// the main one, and one for each branch of a [Fork]. A fiber is a chain of
// frames, innermost first. A [Frame] is one level of the spec: a sequence of
// ops and the number of the current one, together with what that step has
// installed: timer, hook, cleanups, context (the resources), and what it waits for:
// sub-steps of another activation, branches, or a [Wait]. Sub-steps are an
// inner frame.
//
// Levels take no room on the Go stack: entering, leaving and unwinding one are
// moves of Fiber.top. So a run that waits needs no goroutine, and after a panic in the
// code of a step the machine just goes on.
//
// # Ownership
//
// The goroutine of the loop owns the fields of Run, Fiber, Frame and resources, except those that are atomic and those
// whose comment, or the comment of the type, says otherwise. Wait says who owns its fields. Locks are taken in the
// order of Wait.mu or Lease.mu, Run.mu, the loop's own. Under Linger.mu only the Linger.mu of outer parts is taken. No lock
// is held while code of a step runs.
//
// Most memory is embedded where it is needed and pooled together with that: frames and the state of ops in activations, the
// main fiber in the run. Handles that may be used too late carry numbers: a [Ref] has the generations of run and activation
// and the epoch of the step, and a goroutine that completes a wait has the generation of the wait.
//
// # States of a fiber
//
//		         start                     last step done
//		ended ──────────▶ running ───────────────────────────────▶ ended
//		                  │  ▲  │ drop                                ▲
//		            raise │  │  └──────────────┐                      │
//		                  ▼  │ recovered       ▼      no frame left   │
//		                 raising ──────────▶ dropping ────────────────┤
//		                  │   ▲    drop       │                       │
//		                  │   └───────────────┘ arrive at stop        │
//		                  └───────────────────────────────────────────┘
//
//	  - running executes the current step of the innermost level, or waits with
//	    it for a wait or for branches; wake makes it resume the step.
//	  - raising takes err outwards, level by level: timer, branches still
//	    alive, goroutine still working, context, hook, handler, cleanups (E1). A
//	    handler that recovers turns it to running again.
//	  - dropping does the same without asking handlers (C1), down to the level
//	    stop, where it arrives and goes on raising err: that is a timeout (C3) or
//	    an eviction (G9). Without stop everything is left, as by a cancel
//	    of the run or of a branch.
//	  - a jump, break or continue, travels like an error that no handler is
//	    asked about, to the step of its loop: target. Its loop is found before
//	    the first level is left.
//	  - a fork with a Shield isn't frozen, and its branches aren't dropped, until
//	    its grace is over: the fiber that leaves its step waits for them (K1), as a
//	    rule at most for the grace (K4). In the same way it waits for the steps
//	    that a Finalizer begins because its step is left (K2, K5).
//	  - frozen is a mark on branches that are to be dropped. A frozen fiber runs no step any more. It is
//	    driven again only to be dropped, when its turn in the order of the branches has come.
//
// A fiber that leaves levels, by success, error or jump, does so in one moment
// as far as timers and siblings can tell (O7): due.go puts off their effects until then. Where
// the order of successes decides something, no fiber begins a step meanwhile: see transit.go.
// A larger cancel supersedes an unwinding only while that waits, for a goroutine for
// example; the cancel of the run supersedes any. Superseding moves stop outwards, and the
// error that was on its way becomes a secondary one.
//
// # States of a step
//
// A step is begun from just before the call of its op's Exec until it is done or left. Frame.bits record more: handled
// when its handler is used up, installed when resources holds something, held while its op, a Holder, holds something, violated
// when its code broke a rule, and so on. The epoch of the frame changes whenever a step ends, and with that the scopes of the
// step become invalid.
//
// Each of these moves is a method in state.go.
//
// # Turns
//
// Goroutines post fibers (posts.go), cancels (cancel.go) and evictions (lease.go); the turn delivers them between two
// steps. Run.alert says whether there are posts to deliver; turn.go has its
// diagram. A turn ends when the run has ended, when no fiber can go on, or when the run has used up its
// share of the loop. The fiber that was executing goes on in the next turn: which one goes next
// depends on counts of steps alone (O4, budget.go), unless the loop chooses.
package frame
