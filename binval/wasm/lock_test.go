package wasm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// The functions of the guests of this file, by their numbers in the table.
const (
	locks    = 1 + iota // locks the mutex
	unlocks             // unlocks it
	pauses              // waits for 10 ms
	wakes               // ends the pause
	briefly             // locks it with a timeout of 5 ms
	recovers            // a handler
	fails               // fails with After
	both                // locks it, pauses, unlocks it
	takes               // locks and unlocks it in one call
	late                // locks it, for a timer to unlock it
	leaves              // the callback of the timer
)

// locker returns a guest whose step finds the mutex and then executes body.
func locker(body ...[]byte) []byte {
	const mutex = 4096
	sync := concat(number(mutex), loadWord)
	return asm{
		imports: []string{
			"futoin.guard/1>", "futoin.lock/2", "futoin.unlock/2", "futoin.add/4", "futoin.waitExternal/1", "futoin.sched_deferred/5",
			"futoin.setTimeout/2", "futoin.success/2", "futoin.handle_error/3", "futoin.parallel/3>", "futoin.sync_free/1",
		},
		table: []string{"locks", "unlocks", "pauses", "wakes", "briefly", "recovers", "fails", "both", "takes", "late", "leaves"}, data: "mutex\x00After\x00",
		code: []defined{
			{"locks", 3, false, concat(as, sync, invoke("lock"))},
			{"unlocks", 3, false, concat(as, sync, invoke("unlock"))},
			{"pauses", 3, false, concat(as, invoke("waitExternal"), number(4100), as, number(10), as, number(wakes), invoke("sched_deferred"))},
			{"wakes", 1, false, concat(as, number(0), invoke("success"))},
			{"briefly", 3, false, concat(as, number(5), invoke("setTimeout"), as, sync, invoke("lock"))},
			{"recovers", 3, false, concat(as, number(0), invoke("success"))},
			{"fails", 3, false, concat(as, number(1030), number(0), invoke("handle_error"))},
			{"both", 3, false, concat(addStep(locks), addStep(pauses), addStep(unlocks))},
			{"late", 3, false, concat(number(4100), as, number(10), as, number(leaves), invoke("sched_deferred"), as, sync, invoke("lock"))},
			{"leaves", 1, false, concat(as, sync, invoke("unlock"))},
			{"takes", 3, false, concat(as, sync, invoke("lock"), as, sync, invoke("unlock"))},
		},
	}.step(concat(number(mutex), number(1024), invoke("guard"), storeWord), concat(body...))
}

func addStep(function int32) []byte {
	return concat(as, number(0), number(function), number(0), invoke("add"))
}

func tryStep(function int32) []byte {
	return concat(as, number(0), number(function), number(recovers), invoke("add"))
}

func TestLock(t *testing.T) {
	calls := func(name string) []byte { return concat(as, number(4096), loadWord, invoke(name)) }
	for _, c := range []struct {
		name  string
		body  []byte
		runs  int
		queue int
		code  fault.Code // of the last run
		info  string
		took  time.Duration
	}{
		{name: "one after the other", body: addStep(both), runs: 3, queue: -1, took: 30 * time.Millisecond},
		{name: "the queue is full", body: addStep(both), runs: 2, queue: 0, code: fault.DefenseRejected, took: 10 * time.Millisecond},
		{name: "the flow enters again", body: concat(addStep(locks), addStep(both), addStep(unlocks)), runs: 2, queue: -1, took: 20 * time.Millisecond},
		{name: "left by the end of the run", body: concat(addStep(locks), addStep(pauses)), runs: 2, queue: -1, took: 20 * time.Millisecond},
		{name: "left by an error", body: concat(addStep(locks), addStep(pauses), addStep(fails)), runs: 2, queue: -1, code: "After", took: 20 * time.Millisecond},
		{name: "unlock without lock", body: concat(addStep(unlocks), addStep(both), addStep(unlocks)), runs: 2, queue: -1, took: 20 * time.Millisecond},
		{name: "a time limit ends the wait", body: concat(tryStep(briefly), addStep(pauses), addStep(unlocks)), runs: 2, queue: -1, took: 15 * time.Millisecond},
		{name: "in the code of one step", body: concat(calls("lock"), calls("unlock"), calls("lock"), addStep(pauses)), runs: 1, queue: -1, took: 10 * time.Millisecond},
		{
			name: "unlock ends the wait", body: concat(calls("lock"), calls("unlock"), calls("lock"), addStep(pauses)), runs: 2, queue: -1,
			code: fault.CodeOf(fault.Cancelled), took: 10 * time.Millisecond,
		},
		{
			name: "twice, while the first waits", body: concat(calls("lock"), calls("lock"), addStep(pauses)), runs: 2, queue: -1,
			code: fault.InternalError, info: "called lock", took: 10 * time.Millisecond,
		},
		{name: "no guard", body: concat(as, number(8), invoke("lock")), runs: 1, code: fault.InvalidRequest, info: "FutoInSync"},
		{name: "a guard that was freed", body: concat(number(4096), loadWord, invoke("sync_free"), calls("lock")), runs: 1, code: fault.InvalidRequest, info: "FutoInSync"},
		{
			name: "with the pointer of branches", body: concat(as, number(0), number(0), invoke("parallel"), number(4096), loadWord, invoke("lock")),
			runs: 1, code: fault.InternalError, info: "called lock",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			mutex := syncx.NewMutex(1, c.queue)
			m := loaded(t, locker(c.body), Limits{Guards: map[string]syncx.Guard{"mutex": mutex}, Reuse: true})
			loop := tooltest.New()
			var last *flow.Running[struct{}]
			for range c.runs {
				last = flow.Start(context.Background(), loop, unitStep(m, "run"), struct{}{})
			}
			loop.Run()
			_, err := last.Result()
			if c.code == "" && err != nil || c.code != "" && (fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.info)) || len(loop.Errors()) > 0 {
				t.Error(err, loop.Errors())
			}
			if mutex.Inside() != 0 || mutex.Queued() != 0 || loop.Now() != c.took {
				t.Errorf("%d inside, %d queued, after %v", mutex.Inside(), mutex.Queued(), loop.Now())
			}
			for _, i := range m.idle {
				if len(i.holds) > 0 || i.objects > 60 {
					t.Errorf("%d guards are held, %d objects", len(i.holds), i.objects)
				}
			}
		})
	}
}

// Three runs compete for a mutex, on a loop that executes callbacks in a random order, and with odd seeds they are cancelled after
// seed/2 steps of the loop. At the end nobody holds the mutex or waits for it.
func TestLockBetweenSingleSteps(t *testing.T) {
	for name, body := range map[string][]byte{
		"one after the other":    addStep(both),
		"the flow enters again":  concat(addStep(locks), addStep(both), addStep(unlocks)),
		"in the code of a step":  concat(addStep(takes), addStep(both)),
		"a limit ends the wait":  concat(tryStep(briefly), addStep(pauses), addStep(unlocks)),
		"unlocked by a timer":    concat(addStep(late), addStep(pauses)),
		"left by the end of run": concat(addStep(locks), addStep(pauses)),
	} {
		mutex := syncx.NewMutex(1, -1)
		m := loaded(t, locker(body), Limits{Guards: map[string]syncx.Guard{"mutex": mutex}, Reuse: true})
		for seed := range uint64(200) {
			loop := tooltest.New(tooltest.WithSeed(seed))
			ctx, cancel := context.WithCancel(t.Context())
			var runs []*flow.Running[struct{}]
			for range 3 {
				runs = append(runs, flow.Start(ctx, loop, unitStep(m, "run"), struct{}{}))
			}
			for range seed / 2 * (seed % 2) {
				loop.Step()
			}
			if seed%2 == 1 {
				cancel()
			}
			loop.Run()
			cancel()
			for _, run := range runs {
				if _, err := run.Result(); err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%s, seed %d: %v", name, seed, err)
				}
			}
			if mutex.Inside() != 0 || mutex.Queued() != 0 || m.used > 0 || len(unexpected(loop)) > 0 {
				t.Fatalf("%s, seed %d: %d inside, %d queued, %d instances, %v", name, seed, mutex.Inside(), mutex.Queued(), m.used, unexpected(loop))
			}
			for _, i := range m.idle {
				if len(i.holds) > 0 || i.objects > 60 {
					t.Fatalf("%s, seed %d: %d guards are held, %d objects", name, seed, len(i.holds), i.objects)
				}
			}
		}
	}
}

// unexpected returns what was reported to loop, without the reports of timers that have fired after their step was left by a limit or a
// cancel: the guest doesn't take them back.
func unexpected(loop *tooltest.Loop) []error {
	return slices.DeleteFunc(loop.Errors(), func(err error) bool {
		return strings.Contains(err.Error(), "called success with a pointer that doesn't allow it now")
	})
}

// A step that a limit ends while it waits for the lock leaves the queue.
func TestLockIsWithdrawn(t *testing.T) {
	mutex := syncx.NewMutex(1, -1)
	m := loaded(t, locker(tryStep(briefly), addStep(pauses)), Limits{Guards: map[string]syncx.Guard{"mutex": mutex}})
	loop := tooltest.New()
	for range 2 {
		flow.Start(context.Background(), loop, unitStep(m, "run"), struct{}{})
	}
	loop.Advance(4 * time.Millisecond)
	if mutex.Inside() != 1 || mutex.Queued() != 1 {
		t.Errorf("before the time limit: %d inside, %d queued", mutex.Inside(), mutex.Queued())
	}
	loop.Advance(2 * time.Millisecond)
	if mutex.Inside() != 1 || mutex.Queued() != 0 {
		t.Errorf("after it: %d inside, %d queued", mutex.Inside(), mutex.Queued())
	}
	loop.Run()
}

// A guest may find a guard in each run, twice in one run, and again after it has freed the guard.
func TestGuardIsFoundAgain(t *testing.T) {
	const mutex = 4096
	find := func(to int32) []byte { return concat(number(to), number(1024), invoke("guard"), storeWord) }
	free := func(at int32) []byte { return concat(number(at), loadWord, invoke("sync_free")) }
	m := loaded(t, locker(addStep(locks), addStep(unlocks)), Limits{Guards: map[string]syncx.Guard{"mutex": syncx.NewMutex(1, 0)}, Reuse: true, Objects: 100})
	for range 200 {
		if _, reported, err := outcome(t, unitStep(m, "run"), struct{}{}); err != nil || len(reported) > 0 {
			t.Fatal(err, reported)
		}
	}
	for name, body := range map[string][]byte{
		"found again":       concat(find(mutex+4), free(mutex+4), addStep(locks), addStep(unlocks)),
		"found after freed": concat(free(mutex), find(mutex), addStep(locks), addStep(unlocks)),
	} {
		m := loaded(t, locker(body), Limits{Guards: map[string]syncx.Guard{"mutex": syncx.NewMutex(1, 0)}})
		if _, reported, err := outcome(t, unitStep(m, "run"), struct{}{}); err != nil || len(reported) > 0 {
			t.Error(name, err, reported)
		}
	}
}

// Each lock counts as an object, also by a flow that is inside already.
func TestLocksAreBounded(t *testing.T) {
	again := concat([]byte{0x03, 0x40}, as, number(4096), loadWord, invoke("lock"), []byte{0x0c, 0x00, 0x0b})
	mutex := syncx.NewMutex(1, 0)
	m := loaded(t, locker(again), Limits{Guards: map[string]syncx.Guard{"mutex": mutex}, Objects: 100})
	if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); fault.CodeOf(err) != fault.DefenseRejected || mutex.Inside() != 0 {
		t.Errorf("%v, %d inside", err, mutex.Inside())
	}
}
