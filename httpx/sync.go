package httpx

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Sync returns a handler that lets requests into next as the guard g allows: for example at most ten at once, at most a hundred a
// second, or none while a breaker is open. A request that g refuses is answered by [WriteError]: 429 if the queue of g is full, 503
// if a breaker is open. A request whose client goes away while it waits leaves the queue.
//
// next runs inside of g until it returns, on a goroutine of its own, for which the goroutine of the request waits. The context that
// next gets ends also when g evicts the request (see syncx.LeaseLost), and has the fence of the lease. For a guard that learns,
// such as a breaker or an adaptive limit, an answer with a status of 500 or above is an error, and so is a panic. A panic goes on
// to the server: http.ErrAbortHandler as it is, any other as a *fault.Panic with the stack. Put [Priority] around Sync, not inside.
// If g or next is nil, or g isn't well formed, requests are answered with 500.
//
//spec:ftn12 §1.11.3; rules G1, G6
func Sync(g syncx.Guard, next http.Handler) http.Handler {
	next = present(next)
	plan := syncx.Sync(g, step.AwaitGrace(-1, func(ctx context.Context, x *exchanged) (struct{}, error) {
		next.ServeHTTP(x, x.r.WithContext(ctx))
		if x.status >= http.StatusInternalServerError {
			return struct{}{}, errAnswered
		}
		return struct{}{}, nil
	}))
	if err := plan.Err(); err != nil {
		return defective(err.Error())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchanged{ResponseWriter: w, r: r}
		_, err := flow.Run(r.Context(), plan, x)
		if p, ok := fault.AsType[*fault.Panic](err); ok {
			if p.Value == http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
				panic(http.ErrAbortHandler)
			}
			panic(p) // next has panicked, not the guard
		}
		if err != nil && x.status == 0 {
			WriteError(w, r, err)
		}
	})
}

// present returns h, or, if h is nil, a handler that answers with an error.
func present(h http.Handler) http.Handler {
	if h == nil {
		return defective("httpx: the handler is nil")
	}
	return h
}

func defective(info string) http.Handler {
	err := fault.New(fault.InternalError, info)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { WriteError(w, r, err) })
}

// errAnswered tells the guard that the handler has answered with 500 or above. The answer is written already.
var errAnswered = fault.New(fault.InternalError, "answered with a status of 500 or above")

// exchanged is a request, and a ResponseWriter that remembers the status of its answer.
type exchanged struct {
	http.ResponseWriter

	r      *http.Request
	status int // 0 before the answer has begun
}

// Unwrap is for http.ResponseController.
func (x *exchanged) Unwrap() http.ResponseWriter { return x.ResponseWriter }

func (x *exchanged) WriteHeader(status int) {
	if x.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *exchanged) Write(p []byte) (int, error) {
	x.begin()
	return x.ResponseWriter.Write(p)
}

// ReadFrom lets io.Copy use the ReadFrom of the ResponseWriter inside, if that has one: the one of net/http can leave the
// copying to the kernel.
func (x *exchanged) ReadFrom(from io.Reader) (int64, error) {
	x.begin()
	return io.Copy(x.ResponseWriter, from)
}

// Flush is for handlers that ask for an http.Flusher.
func (x *exchanged) Flush() { _ = x.FlushError() }

// FlushError is for http.ResponseController, which otherwise calls Flush and loses the error.
func (x *exchanged) FlushError() error {
	err := http.NewResponseController(x.ResponseWriter).Flush()
	if !errors.Is(err, http.ErrNotSupported) {
		x.begin()
	}
	return err
}

// Hijack is for handlers that ask for an http.Hijacker.
func (x *exchanged) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(x.ResponseWriter).Hijack()
	if err == nil {
		x.begin()
	}
	return conn, rw, err
}

func (x *exchanged) begin() {
	if x.status == 0 {
		x.status = http.StatusOK
	}
}
