package main

import "strings"

// explained lists mutants that survive because they change nothing that matters, by place and edit. They are
// sorted by file and function.
var explained = []struct{ file, function, old, why string }{
	{"frame/advance.go", "advance", "r.left <= 0", "a run takes one step more in a turn, which nothing may depend on (O4)"},
	{"frame/ask.go", "ask", "r.doing = stepping", "while a fiber is unwound, doing is set anew before any code that can panic"},
	{"frame/budget.go", "firstChunk", "n = some", "a run that nobody waits for counts its steps anew after two, which takes a call"},
	{"frame/budget.go", "more", "now-p.started >= host.Turn().Time", "at the bound, to the nanosecond, the run may go on or not"},
	{"frame/due.go", "clear", "cap(d.lapsed) > retained", "the bound is on memory: one timer more or less is the same"},
	{"frame/evict.go", "Begin", "r.Tool()", "the run finds its loop later, when it waits; only the race detector sees that an eviction reads it meanwhile"},
	{"frame/finish.go", "finish", "err == nil", "a run that has failed has a record; conclude does for the others what is spared here"},
	{"frame/finish.go", "quit", "r.cancelDelivered = true", "a run that has ended or is sealed looks at no cancel any more"},
	{"frame/finish.go", "sealLocked", "r.decided = true", "the signal says the same, and stop looks at both"},
	{"frame/finish.go", "sealShared", "now <= calm", "the way with the lock does the same, slower"},
	{"frame/foreign.go", "Post", "x.Take()", "an item that was refused is posted anew, or is withdrawn in vain"},
	{"frame/lanes.go", "Shrink", "cap(k.later) > most", "the bound is on memory: one branch more or less is the same"},
	{"frame/launch.go", "NewRun", "turn.Steps <= few", "a turn of two steps may then end one level more, as longer ones may"},
	{"frame/launch.go", "Wake", "r.eager = true", "limits are armed at the end of the turn, as those of a run that was queued"},
	{"frame/leavefork.go", "leaveFork", "f.fork = nil", "branches that have ended are left once more in vain"},
	{"frame/linger.go", "forsake", "l.timer = 0", "the timer has fired: it is cancelled once more, which is no error (T2)"},
	{"frame/linger.go", "parted", "l.prev, l.next = nil, nil", "a part is taken out of the list once, and nobody looks at its neighbours after that"},
	{"frame/outlive.go", "arm", "g.disarm()", "a step that is left has no timer any more"},
	{"frame/path.go", "Path", "n > shownInner+shownOuter", "a path of just that length is the same gathered in two parts"},
	{"frame/path.go", "Stack", "len(stack) < shownInner+shownOuter", "the bound keeps a deep stack short: one frame more or less is the same"},
	{"frame/post.go", "stop", "p.request = nil", "a sealed run refuses every cancel, also one that finds the request of another"},
	{"frame/race.go", "leaveNext", "r.next = b", "supersede has b go next, or b is being left already and waits for a goroutine that wakes it"},
	{"frame/recover.go", "panicked", `panic(fmt.Errorf("asyncsteps: defect in the machine: %w", cause))`, "only a defect gets there"},
	{"frame/ref.go", "Stamp", "f.bits&handled != 0", "the body's stamp has the bit instead of the handler's: they still differ"},
	{"frame/report.go", "violate", "!r.inTurn || r.cur == nil || r.cur.top == nil", "outside of all steps the run's user is called by a Watch or a report only, and for these doing is watching"},
	{"frame/resources.go", "SetTimeout", "r.Tool()", "a run whose limits are armed at once has a loop"},
	{"frame/resources.go", "settleAll", "g.exits != nil && len(g.exits.cleanups) > 0", "without cleanups there is nothing to clean, nor to strip again"},
	{"frame/state.go", "enter", "f.bits = 0", "done and leave have cleared them"},
	{"frame/state.go", "leave", "f.bits = 0", "enter clears them as well"},
	{"frame/state.go", "restart", "root.bits = 0", "done and leave have cleared them"},
	{"frame/trace.go", "shrink", "cap(t.marks) > retained", "the bound is on memory: one mark more or less is the same"},
	{"frame/unwind.go", "pop", "p.child = nil", "the activation is compared with the level that is left, and never with its own again"},
	{"frame/vars.go", "clear", "len(*v) > retained", "the bound is on memory: one variable more or less is the same"},
	{"frame/vars.go", "clear", "*v = nil", "the map is cleared anyway; only its own memory stays"},
	{"frame/worker.go", "await", "grace < 0", "no grace is zero: that stands for the one around it, or the default"},
	{"frame/worker.go", "orphan", "l.worker.timer = 0", "the timer has fired: it is cancelled once more, which is no error (T2)"},
	{"guard/cycle.go", "cycle", "last < 0", "the other holders of the same lock are seen in vain: the way back to the start is known"},
	{"guard/deadlock.go", "Drop", "c.watched = false", "it is taken back once more when the ticket ends, and nothing is found"},
	{"guard/search.go", "begin", "cap(d.nodes) > retain", "the bound is on memory: one node more or less is the same"},
	{"guard/search.go", "begin", "cap(d.edges) > retain", "the bound is on memory: one edge more or less is the same"},
	{"guard/section.go", "Enter", "c.Forget()", "the next Init forgets; until then a ticket in pooled memory refers to a run that has ended"},
	{"guard/section.go", "Leave", "f.Unhold()", "the guard is told once: the second Release finds a ticket that has ended"},
	{"guard/section.go", "Release", "s.guard = nil", "the next Enter sets it, and nothing asks before"},
	{"loopx/seq.go", "Close", "p.pull, p.stop = nil, nil", "an iterator that is stopped again does nothing, and the memory is cleared"},
	{"op/await.go", "Loops", "false", "an await step has no sub-steps, so no signal asks it"},
	{"op/crew.go", "Exec", "s.Clear()", "a crew is the only one of its level, whose state was cleared when it was left"},
	{"op/delay.go", "Clear", "p.loop = nil", "the loop is reachable until the memory serves the next run, which sets it"},
	{"op/delay.go", "Exec", "p.loop = nil", "a step that has failed has no hook that looks at it, and Clear drops it"},
	{"op/roster.go", "Clear", "r.Follower = nil", "the step that uses the memory next sets its own"},
	{"op/roster.go", "Clear", "cap(r.idle) > kept", "the bound is on memory: one lane more or less is the same"},
	{"op/tasks.go", "take", "s.taken >= 32 && s.taken > len(s.queue)/2", "the queue is moved to the front of its memory more often or less"},
	{"op/tries.go", "Clear", "cap(s.failed) > mostFailed", "the bound is on memory"},
	{"op/undo.go", "Resume", "f.Unfinally()", "the step is done at once, and no code of the user's comes between that could fail it"},
	{"plan/draft.go", "Input", `panic("asyncsteps: a step of " + t.String() + " is given " + e.level.value.typ.String())`, "only a defect gets there"},
	{"plan/lease.go", "end", "false", "the loop has been shut down, so Reset refuses it and no pool takes it"},
	{"plan/run.go", "rest", "_ = loop.Shutdown(context.Background())", "the lease of the loop refuses what comes later, and nobody else has the loop"},
	{"queue/entry.go", "Owes", "p.owed >= lend", "one entry more is kept before the lock is taken"},
	{"retry/policy.go", "pause", "p.Jitter > 0 && pause > 0", "one number more is drawn, and counts for nothing"},
	{"step/new.go", "Exec", "!made(f, n.how, into) || !plan.Gives[Out](sub)", "the stamp alone is that of this step; the rest is for a defect in the machine"},
	{"stream/write.go", "Write", "len(b.text) >= block", "a block that is just full is written with the next text, or at the end"},
	{"syncx/bucket.go", "expire", "b.armed && !b.loop.Valid(b.timer)", "after a former timer another one more is armed, which finds nothing to do"},
	{"syncx/limiter.go", "Enter", "t.ticket().Loop()", "the ticket keeps what it needs to find its loop until it is left, so the first call may come later"},
	{"tool/burst.go", "collect", "!c.inbox.Quiet() || c.entries.Owes()", "gather asks for both, and finds nothing"},
	{"tool/burst.go", "popDue", "fn != nil", "a number too high is put right once nothing is due; it costs a look at the queue, which knows better"},
	{"tool/burst.go", "unbroken", "!c.inbox.Quiet() || c.armed.Load() != 0 || c.entries.Owes()", "collect asks for the same, and finds nothing"},
	{"tool/core.go", "gather", "c.until = awake", "the loop is woken once more while it works, and finds nothing"},
	{"tool/core.go", "post", "c.entries.Refused(e)", "the loop has ended, and its entries go with it"},
	{"tool/group.go", "Next", "turn%lookEvery == 0", "the loads are compared more often, which takes time"},
	{"tool/group.go", "Next", "i < n", "the first loop is compared once more"},
	{"tool/manual.go", "Reset", "m.until = awake", "nobody is parked, and parking sets it"},
}

// explanation returns why the survival of m is right; "" if that isn't known.
func explanation(m *mutant) string {
	for _, e := range explained {
		if strings.HasSuffix(m.file, e.file) && m.function == e.function && strings.Join(strings.Fields(m.old), " ") == e.old {
			return e.why
		}
	}
	return ""
}
