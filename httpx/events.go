package httpx

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The types of the events that [Events] sends besides the values.
const (
	EventAgain  = "again"  // the numbers of values that are void
	EventResult = "result" // the result; the last event
	EventError  = "error"  // a problem of RFC 9457; the last event
)

// Events returns a handler that answers each request by a run of s. It sends the values that the run hands out by o, and the end of
// the run, as server-sent events:
//
//	data: "forty"            each value, as JSON
//
//	event: again             the values with the numbers 3, 4 and 5 are void: the attempt of a retry that
//	data: {"from":3,"to":6}  sent them has failed. Those of the next attempt follow
//
//	event: result            the last event of a run that has succeeded: its result, as JSON
//	data: {"tokens":3}
//
//	event: error             the last event of a run that has failed after its first value:
//	data: {"title":"…"}      the problem that WriteError shows
//
// A run that fails before its first value is answered by [WriteError], with its status. decode is
// that of [Handler]. [ReadEvents] reads such an answer.
//
// EventAgain is sent before the first value of the next attempt, once for each range of values that it replaces, as [flow.Attempt]
// tells. Values are numbered from 0 in the order in which they are sent, void ones included. If the next attempt hands out nothing,
// EventAgain isn't sent: a client that gets the result needs no values.
//
// Each event is flushed. The run goes on when a value was written, so a client that reads slowly slows the run down. A limit that
// passes meanwhile takes effect after the write. The end of the request's context, because the client has gone or the time of
// [Deadline] has passed, ends the writing and cancels the run. When the run has ended, the handler tries for up to five seconds to
// write the last event, and returns: a client that doesn't read can't hold it longer. The field WriteTimeout of http.Server limits
// the whole answer. A value or a result that can't be encoded is an error with the status 500; such a value also cancels the run.
//
// The run is on the goroutine of the request, with its context. If decode is nil or s isn't well formed, all requests are answered
// with 500, and the answer doesn't say why: ask flow.Plan.Err before you serve.
//
//spec:ftn12 §2.2.3 execute
func Events[T, In, Out any](o flow.Output[T], s step.Step[In, Out], decode func(*http.Request) (In, error)) http.Handler {
	return answering(s, decode, WriteError, func(w http.ResponseWriter, r *http.Request, in In) {
		to := &events{w: w, r: r}
		run := flow.RunOutput(r.Context(), o, s, in)
		var broken error
		for v, attempt := range run.All() {
			if broken = sendValue(to, v, attempt); broken != nil {
				break
			}
		}
		out, err := run.Result()
		if broken != nil {
			err = broken // the run was cancelled for it
		}
		sendEnd(to, out, err)
	})
}

type events struct {
	w     http.ResponseWriter
	r     *http.Request
	begun bool
	sent  int // how many values were sent
	open  []openAttempt
}

// openAttempt holds which values an attempt has sent. Another attempt may replace it.
type openAttempt struct {
	flow.Attempt

	sent []values
}

// values are consecutive values that one attempt has sent.
type values struct {
	From int `json:"from"`
	To   int `json:"to"` // the number of the first value after them
}

func sendValue[T any](to *events, v T, attempt flow.Attempt) error {
	text, err := encoded(v, "the value")
	if err != nil {
		return err
	}
	if err := to.sendVoid(attempt); err != nil {
		return err
	}
	if err := to.send("", text); err != nil {
		return err
	}
	to.count(attempt)
	return nil
}

// count counts a value that attempt has sent.
func (to *events) count(attempt flow.Attempt) {
	to.keep(attempt, values{to.sent, to.sent + 1})
	to.sent++
}

// keep adds values to those of attempt, unless nothing can replace them.
func (to *events) keep(attempt flow.Attempt, sent ...values) {
	if attempt.Final() {
		return
	}
	i := slices.IndexFunc(to.open, func(a openAttempt) bool { return a.Same(attempt) })
	if i < 0 {
		to.open = append(to.open, openAttempt{attempt, sent})
		return
	}
	to.open[i].sent = joined(to.open[i].sent, sent)
}

// joined appends more to all. Values that follow the last ones of all extend these.
func joined(all, more []values) []values {
	for _, v := range more {
		if last := len(all) - 1; last >= 0 && all[last].To == v.From {
			all[last].To = v.To
		} else {
			all = append(all, v)
		}
	}
	return all
}

// sendVoid sends EventAgain for the values that a value of attempt replaces. The values of an attempt whose retry has ended become
// those of the attempt around it, so there are never more attempts than retries that go on.
func (to *events) sendVoid(attempt flow.Attempt) error {
	var void []values
	var ended []openAttempt
	to.open = slices.DeleteFunc(to.open, func(a openAttempt) bool {
		switch around := a.Open(); {
		case attempt.Replaces(a.Attempt):
			void = append(void, a.sent...)
		case around.Same(a.Attempt):
			return false
		default:
			ended = append(ended, openAttempt{around, a.sent})
		}
		return true
	})
	for _, a := range ended {
		to.keep(a.Attempt, a.sent...)
	}
	slices.SortFunc(void, func(a, b values) int { return cmp.Compare(a.From, b.From) })
	for _, v := range joined(nil, void) {
		text, err := json.Marshal(v)
		if err == nil {
			err = to.send(EventAgain, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sendEnd sends the last event. An error is answered by WriteError if no event was sent.
func sendEnd[Out any](to *events, out Out, err error) {
	var text []byte
	kind := EventResult
	if err == nil {
		text, err = encoded(out, "the result")
	}
	if err != nil {
		if !to.begun {
			WriteError(to.w, to.r, err)
			return
		}
		kind = EventError
		_, text = problemOf(err)
	}
	_ = to.send(kind, text) // a client that has gone reads nothing
}

// encoded returns v as JSON on one line.
func encoded[T any](v T, what string) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fault.Wrap(fault.InternalError, what+" can't be encoded", err)
	}
	return text, nil
}

// past is a write deadline that has passed, so that it ends a write.
var past = time.Unix(1, 0)

// send writes an event with one line of data, and flushes it.
func (to *events) send(kind string, data []byte) error {
	if !to.begun {
		to.begin()
	}
	var event bytes.Buffer
	if kind != "" {
		event.WriteString("event: " + kind + "\n")
	}
	event.WriteString("data: ")
	event.Write(data)
	event.WriteString("\n\n")

	control := http.NewResponseController(to.w)
	defer to.cutOff(control)()
	if _, err := to.w.Write(event.Bytes()); err != nil {
		return fault.Wrap(fault.CommError, "the event can't be written", err)
	}
	if err := control.Flush(); err != nil {
		return fault.Wrap(fault.CommError, "the event can't be flushed", err)
	}
	return nil
}

// lastWrite is how long the last event may take to be written if the request's context has ended before.
const lastWrite = 5 * time.Second

// cutOff makes the end of the request's context end a write, until release is called. If the context has ended already, the write
// may take as long as lastWrite.
func (to *events) cutOff(control *http.ResponseController) (release func()) {
	ctx, done := to.r.Context(), func() {}
	if ctx.Err() != nil { // the last event may still be written
		ctx, done = context.WithTimeout(context.WithoutCancel(ctx), lastWrite)
	}
	cut := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(cut)
		_ = control.SetWriteDeadline(past) // without support for deadlines the write goes on
	})
	return func() {
		if !stop() {
			<-cut // nothing may touch the connection when the handler has returned
		}
		done()
	}
}

func (to *events) begin() {
	to.begun = true
	h := to.w.Header()
	h.Del("Content-Length")
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx hands events on at once
	to.w.WriteHeader(http.StatusOK)
}
