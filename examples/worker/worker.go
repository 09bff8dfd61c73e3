package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// refused is the code for a file that the server won't ever take.
const refused fault.Code = "Refused"

// unread is the code for a file that can't be read. No call is made for such a file.
const unread fault.Code = "Unread"

// worker is the state that the steps share. The steps that change its counters run on the loop, one at a time, so it needs no lock.
type worker struct {
	options

	spool      *spool
	client     *http.Client
	stop       context.Context
	out        io.Writer
	sent, dead int
}

// rest waits before the next look at the spool. It ends early if the worker is asked to stop.
func (w *worker) rest(ctx context.Context, d time.Duration) (struct{}, error) {
	select {
	case <-time.After(d):
	case <-w.stop.Done():
	case <-ctx.Done():
	}
	return struct{}{}, context.Cause(ctx)
}

// post sends a file. If an answer is lost the server may get the file again, and can recognise it by the Idempotency-Key.
func (w *worker) post(ctx context.Context, name string) (none struct{}, err error) {
	body, err := w.spool.ReadFile(name)
	if err != nil {
		return none, fault.Wrap(unread, "", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.to, bytes.NewReader(body))
	if err != nil {
		return none, err
	}
	req.Header.Set("Idempotency-Key", name)
	resp, err := w.client.Do(req)
	if err != nil {
		return none, fault.Wrap(codeOfCall(err), "no answer", err)
	}
	_ = resp.Body.Close() // the status says enough
	switch {
	case resp.StatusCode < http.StatusMultipleChoices:
		return none, nil
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusServiceUnavailable:
		return none, fault.New(fault.DefenseRejected, resp.Status)
	case resp.StatusCode < http.StatusInternalServerError:
		return none, fault.New(refused, resp.Status)
	default:
		return none, fault.New(fault.CommError, resp.Status)
	}
}

// codeOfCall returns the code for an error of a call. The code shows whether the server can be reached.
func codeOfCall(err error) fault.Code {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fault.ConnectError
	}
	return fault.CommError
}

func (w *worker) count(v verdict) struct{} {
	if v.why == "" {
		w.sent++
		w.say("sent %s", v.name)
	} else {
		w.dead++
		w.say("dead %s: %s", v.name, v.why)
	}
	return struct{}{}
}

func (w *worker) say(format string, args ...any) { fmt.Fprintf(w.out, format+"\n", args...) }
