package laws_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// event is one line of a trace.
type event struct {
	what  what
	id    int // number of the body or node
	act   int // number of the activation
	value int // input of a body or a turn, result of the run, resource of a release, or number of a cleanup
	code  fault.Code
	said  string // text of the error, with the secondary ones
	ok    bool
	at    time.Duration
	where string // the branches around it, outermost first, as "0/2/"
}

const nowhere = "?"

func (e event) anywhere() bool { return e.where == nowhere }

type what uint8

const (
	eBody     what = iota // a body begins, with its input
	eTurn                 // a loopx.Loop is about to begin a turn; ok: it does
	eHandler              // a handler is called for the code
	eHook                 // a cancel hook is called
	eCleanup              // a cleanup is called
	eEnter                // a guard was asked; code is the answer
	eLeave                // a guard is left
	eWithdraw             // the queue of a guard is left
	eDone                 // a wait is completed from outside; ok: the completion counted
	eReady                // the goroutine of an await step may return
	eCancel               // the run is cancelled from outside
	eRelease              // the release of a bracket begins, with its resource and how use has ended; ok: it was left from outside
	eTold                 // an error is reported to the loop, at any time before the end
	eEnd                  // the run has ended
)

func (w what) String() string {
	return [...]string{
		"body", "turn", "handler", "hook", "cleanup", "enter", "leave", "withdraw", "done", "ready", "cancel", "release", "told", "end",
	}[w]
}

func (e event) String() string {
	return fmt.Sprintf("%4dms %-8s #%d act %d value %d %s %t %s %s", e.at.Milliseconds(), e.what, e.id, e.act, e.value, string(e.code), e.ok, e.where, e.said)
}

func (e event) begins() bool {
	return e.what == eBody || e.what == eTurn || e.what == eHandler || e.what == eEnter || e.what == eRelease
}

func (e event) timeless() event {
	e.at = 0
	return e
}

type trace []event

func (t trace) String() string {
	var b strings.Builder
	for _, e := range t {
		b.WriteString(e.String())
		b.WriteByte('\n')
	}
	return b.String()
}

func (t trace) end() event {
	for _, e := range t {
		if e.what == eEnd {
			return e
		}
	}
	return event{}
}

// branches returns the numbers of the branches in a path like "0/par.1/2", without those that are the same flow as the step
// that holds them.
func branches(path string) string {
	var b strings.Builder
	for segment := range strings.SplitSeq(path, "/") {
		if kind, number, ok := strings.Cut(segment, "."); ok && !sameFlow(kind) {
			b.WriteString(number + "/")
		}
	}
	return b.String()
}

// Answers of guards, in events.
const (
	inside fault.Code = "inside"
	queued fault.Code = "queued"
)
