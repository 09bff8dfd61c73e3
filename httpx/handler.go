package httpx

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/primary"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// Handler returns a handler that answers each request by a run of s. decode makes the input from the request; an error of decode
// without a code gets fault.InvalidRequest. encode answers with the result, or with err, usually by [WriteError]. [ReadRequest] and
// [WriteJSON] are a decode and an encode for JSON.
//
// The run is one of flow.Run, on the goroutine of the request, with the request's context: when the client goes away the run is
// cancelled. encode is called after the run has ended, and for an error of decode. If decode is nil or s isn't well formed, encode
// is called for each request with an error that says why, and whose [Status] is 500. If encode is nil, requests are answered with
// 500. Ask flow.Plan.Err before you serve.
//
//spec:ftn12 §2.2.3 execute
func Handler[In, Out any](
	s step.Step[In, Out], decode func(*http.Request) (In, error), encode func(w http.ResponseWriter, r *http.Request, out Out, err error),
) http.Handler {
	return running(s, decode, encode, func(r *http.Request, in In) (Out, error) {
		return flow.Run(r.Context(), s, in)
	})
}

// HandlerOn is [Handler] with each run on the loop that g.Next returns. The handler returns from a request when
// the run has ended. A loop that is shut down refuses the run with tool.ErrShutdown, whose [Status] is 503. A nil g counts
// as an s that isn't well formed.
//
//spec:ftn12 §2.2.3 execute
func HandlerOn[In, Out any](
	g *tool.Group, s step.Step[In, Out], decode func(*http.Request) (In, error), encode func(w http.ResponseWriter, r *http.Request, out Out, err error),
) http.Handler {
	if g == nil {
		s = flow.Of[In, Out](nil) // nothing can be run
	}
	return running(s, decode, encode, func(r *http.Request, in In) (Out, error) {
		run := flow.Start(r.Context(), g.Next(), s, in)
		<-run.Done() // also if the client has gone: the run may use the request until it has ended
		return run.Result()
	})
}

func running[In, Out any](
	s step.Step[In, Out], decode func(*http.Request) (In, error), encode func(http.ResponseWriter, *http.Request, Out, error),
	run func(*http.Request, In) (Out, error),
) http.Handler {
	if encode == nil {
		decode, encode = nil, func(w http.ResponseWriter, r *http.Request, _ Out, err error) { WriteError(w, r, err) }
	}
	fail := func(w http.ResponseWriter, r *http.Request, err error) {
		var out Out
		encode(w, r, out, err)
	}
	return answering(s, decode, fail, func(w http.ResponseWriter, r *http.Request, in In) {
		out, err := run(r, in)
		encode(w, r, out, err)
	})
}

// answering makes a handler that calls serve with the input of the request, or fail if there is none.
func answering[In, Out any](
	s step.Step[In, Out], decode func(*http.Request) (In, error), fail func(http.ResponseWriter, *http.Request, error),
	serve func(http.ResponseWriter, *http.Request, In),
) http.Handler {
	bad := flow.Of(s).Err()
	if decode == nil {
		bad = errors.Join(bad, fault.New(fault.InvalidRequest, "httpx: decode or encode is nil"))
	}
	if bad != nil { // not the client's mistake
		bad = fault.Wrap(fault.InternalError, "the handler is not well formed", fault.New(fault.InternalError, bad.Error()))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if bad != nil {
			fail(w, r, bad)
			return
		}
		in, err := decode(r)
		if err != nil {
			fail(w, r, malformed(err))
			return
		}
		serve(w, r, in)
	})
}

// malformed gives an error of decode a code if it has none.
func malformed(err error) error {
	_, coded := primary.As[*fault.Error](err)
	_, bare := primary.As[fault.Code](err)
	if coded || bare || given(err) != 0 || fault.CodeOf(err) != fault.InternalError { // CodeOf has codes for errors of package context
		return err
	}
	if tooLong, ok := fault.AsType[*http.MaxBytesError](err); ok {
		return WithStatus(http.StatusRequestEntityTooLarge, fault.Wrap(fault.InvalidRequest, "the body is too long", tooLong))
	}
	return fault.Wrap(fault.InvalidRequest, err.Error(), err)
}

// ReadRequest makes a decode for [Handler] that reads the body as the JSON of one In, of at most limit bytes. A longer body is an
// error with the status 413. A second value, or text that isn't the JSON of an In, is an error with 400. A limit that isn't
// positive refuses every body.
func ReadRequest[In any](limit int64) func(*http.Request) (In, error) {
	return func(r *http.Request) (in In, err error) {
		d := json.NewDecoder(http.MaxBytesReader(nil, r.Body, max(limit, 0)))
		if err = d.Decode(&in); err == nil {
			switch _, err = d.Token(); {
			case errors.Is(err, io.EOF):
				return in, nil
			case err == nil:
				err = errors.New("a second value follows")
			}
		}
		var zero In
		if _, tooLong := fault.AsType[*http.MaxBytesError](err); tooLong {
			return zero, malformed(err)
		}
		return zero, fault.Wrap(fault.InvalidRequest, "the body is not the JSON that is expected: "+err.Error(), err)
	}
}

// WriteJSON is an encode for [Handler]: it writes out as JSON with the status 200, or err by [WriteError]. An out that can't be
// encoded is answered with 500.
func WriteJSON[Out any](w http.ResponseWriter, r *http.Request, out Out, err error) {
	writeJSON(w, r, http.StatusOK, out, err)
}

// WriteJSONStatus makes an encode for [Handler] that does what [WriteJSON] does, with another status for results, such as 201 or
// 202:
//
//	mux.Handle("POST /orders", httpx.Handler(add, httpx.ReadRequest[order](1<<16), httpx.WriteJSONStatus[receipt](http.StatusAccepted)))
//
// If status isn't from 200 to 299, results are answered with 500. Errors are answered with their [Status] in any case.
func WriteJSONStatus[Out any](status int) func(w http.ResponseWriter, r *http.Request, out Out, err error) {
	var bad error
	if status < 200 || status > 299 {
		bad = fault.New(fault.InternalError, "httpx: "+strconv.Itoa(status)+" is not the status of a success")
	}
	return func(w http.ResponseWriter, r *http.Request, out Out, err error) {
		writeJSON(w, r, status, out, cmp.Or(err, bad))
	}
}

func writeJSON(w http.ResponseWriter, r *http.Request, status int, out any, err error) {
	var text bytes.Buffer
	if err == nil {
		if e := json.NewEncoder(&text).Encode(out); e != nil {
			err = fault.Wrap(fault.InternalError, "the result can't be encoded", e)
		}
	}
	if err != nil {
		WriteError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // a client that has gone reads nothing
}
