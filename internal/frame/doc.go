// Package frame is the untyped machine that executes compiled plans: it declares no type parameters, and uses neither
// reflection nor unsafe. Package plan is the typed layer above it.
//
// # Files
//
// Each file is about one noun. What is compiled: level.go, a sequence of steps; op.go, what a step does. What executes it:
// activation.go, the memory of a run for one level; frame.go, a level of a fiber and its current step; fiber.go; run.go;
// state.go, every move between the states of fibers and steps; launch.go and finish.go, the beginning and the end of a run;
// adapter.go, loops of other packages.
//
// Which fiber goes on: ready.go, the queue of fibers that can; posts.go, the fibers that other goroutines post; turn.go, the
// turns of a run; budget.go, how long turns are; advance.go, the hot loop; transit.go, the fibers that go before others begin
// steps; due.go, what is put off.
//
// What a step waits for: wait.go; complete.go, the completion of a wait; worker.go, the goroutine that works for a wait;
// fork.go, branches; race.go, a fork that some of its branches decide; survived.go, the errors that a race survives; shield.go,
// a fork whose branches end by themselves; leavefork.go, how branches are left; within.go, a run of its own, as a rule on
// another loop; linger.go, a part: a run of its own on the same loop, which the step needn't wait for when it is left; part.go,
// how a run and its parts share state.
//
// What a step has: resources.go, hook and cleanups; limit.go; stopwatch.go, a time that is measured from when limits are armed;
// context.go; attempt.go, the attempt of a retry that the step belongs to; vars.go; ref.go, a handle for code outside of the
// machine; path.go, the place of the step in the plan; around.go, what the steps around it have set.
//
// How a step is left: unwind.go, by an error; ask.go, its handler; recover.go, by a panic; jump.go, by break or continue;
// cut.go, by its limit; lease.go, by a guard; cancel.go, by the cancel of the run; commit.go, from when on a cancel is too
// late; depart.go, the end of a fiber.
//
// What users get to see: trail.go, the levels that an error has passed; report.go, the error of a run; watch.go, events.
//
// # Frames
//
// A [Run] executes an [Activation] on one loop. Each of its flows is a [Fiber]: the main one, and one for each branch of a
// [Fork]. A fiber is a chain of frames, innermost first. A [Frame] is one level of the spec: a sequence of ops and the number
// of the current one. It also holds the resources that this step has installed, which are timer, hook, cleanups and context,
// and what the step waits for: the activation of its sub-steps, branches, or a [Wait]. Sub-steps are an inner frame.
//
// Levels take no room on the Go stack: entering, leaving and unwinding a level are moves of Fiber.top. So a run that waits
// needs no goroutine, and after a panic in the code of a step the machine just goes on.
//
// # Ownership
//
// The goroutine of the loop owns the fields of Run, Fiber, Frame and resources, except for atomic fields and where the comment
// of the field or of its type says otherwise. The comments of Wait say who owns its fields. Locks are taken in this order:
// Wait.mu or Lease.mu, then Run.mu, then the locks of the loop. Under Linger.mu only the Linger.mu of outer parts is taken. No
// lock is held while code of a step runs.
//
// Most objects are embedded in the object that needs them, and pooled with it: frames and the state of ops in activations, the
// main fiber in the run. Handles that may be used too late carry numbers: a [Ref] has the generations of run and activation and
// the epoch of the step, and a goroutine that completes a wait has the generation of the wait.
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
//	  - A running fiber executes the current step of its innermost level, or waits until the Wait of
//	    that step is completed or its branches have ended; wake makes the fiber resume the step.
//	  - A raising fiber takes err outwards. At each level it ends the timer, the branches and the goroutine,
//	    runs the steps of a Finalizer, and ends the context; then it calls the hook, the handler and the
//	    cleanups (E1). If the handler recovers, the fiber is running again.
//	  - A dropping fiber does the same without calling handlers (C1). At the level
//	    stop it arrives and goes on raising err: that is a timeout (C3) or
//	    an eviction (G9). If stop is nil, it leaves all levels, as for a cancel
//	    of the run or of a branch. A branch that has succeeded in a race is dropping too, with
//	    the mark won and without levels, until its end is handled.
//	  - A jump, break or continue, travels like an error, but calls no handlers. It goes
//	    to target, the step of its loop, which is found before the first level is left.
//	  - A fork with a Shield isn't frozen, and its branches aren't dropped, until
//	    its grace is over: the fiber that leaves its step waits for them (K1), as a
//	    rule at most for the grace (K4). In the same way the fiber waits for the steps
//	    that a Finalizer begins because its step is left (K2, K5).
//	  - frozen is a mark on branches that are to be dropped. A frozen fiber runs no step any more. It is
//	    driven again only to be dropped, when its turn in the order of the branches has come.
//
// A fiber that leaves levels, by success, error or jump, leaves them in one moment as far as timers and siblings can tell (O7):
// due.go puts off their effects meanwhile. Where the order of successes decides something, no fiber begins a step meanwhile:
// see transit.go. A larger cancel supersedes an unwinding only while the unwinding waits, for a goroutine for example; the
// cancel of the run supersedes any. Superseding moves stop outwards, and the error that was on its way becomes a secondary one.
//
// # States of a step
//
// A step is begun from just before the call of its op's Exec until it is done or left. Frame.bits has further marks: handled
// when its handler is used up, installed when resources holds something, held while its op, a Holder, holds something, violated
// when its code broke a rule, and so on. The epoch of the frame changes whenever a step ends, which makes the scopes of the
// step invalid.
//
// Each of these moves is a method in state.go.
//
// # Turns
//
// Goroutines post fibers (posts.go), cancels (cancel.go) and evictions (lease.go); the turn delivers them between two steps.
// Run.alert tells the loop that posts have to be delivered; turn.go draws its states. A turn ends when the run has ended,
// when no fiber can go on, or when the run has used up its share of the loop. The fiber that was executing goes on in the next
// turn: unless the loop chooses, which fiber goes next depends on counts of steps alone (O4, budget.go).
package frame
