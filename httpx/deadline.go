package httpx

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Deadline returns a handler that calls next with a deadline in the context of the request, so that the deadline holds for the runs
// in next. The request's header with the given name has the number of milliseconds that are left, as [Policy.DeadlineHeader] writes
// it; if header is "", none is read. The parameter most bounds that time, and is the time of a request whose header is absent or
// empty. If most isn't positive, there is no bound, and such a request gets no deadline. The answer is 504 if no time is left, and
// 400 if the header isn't a whole number from 0 to 1<<63-1.
//
// When the time has passed, the cause of the context's end is fault.Timeout.
//
//spec:ftn12 §1.3
func Deadline(header string, most time.Duration, next http.Handler) http.Handler {
	next = present(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d := most
		if text := r.Header.Get(header); header != "" && text != "" {
			asked, err := strconv.ParseUint(text, 10, 63)
			if err != nil {
				WriteError(w, r, fault.New(fault.InvalidRequest, fmt.Sprintf("the header %s is not a number of milliseconds", header)))
				return
			}
			if asked == 0 {
				WriteError(w, r, fault.New(fault.Timeout, "no time was left when the request came"))
				return
			}
			if limit := time.Duration(min(asked, maxMillis)) * time.Millisecond; d <= 0 || limit < d {
				d = limit
			}
		}
		if d > 0 {
			ctx, cancel := context.WithTimeoutCause(r.Context(), d, fault.Timeout)
			defer cancel()
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(w, r)
	})
}

// maxMillis is the longest time.Duration in milliseconds.
const maxMillis = uint64(1<<63-1) / uint64(time.Millisecond)

// Priority returns a handler that gives the context of each request a priority, by which guards with ByPriority let the request in.
// The parameter named of is the function that returns the priority; it is called on the goroutine of the request. Nil stands for
// [Urgency].
//
//spec:rule G12
func Priority(of func(*http.Request) int, next http.Handler) http.Handler {
	if of == nil {
		of = Urgency
	}
	next = present(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(syncx.WithPriority(r.Context(), of(r))))
	})
}
