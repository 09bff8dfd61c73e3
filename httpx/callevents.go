package httpx

import (
	"context"
	"net/http"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/step"
)

var errUnfinished = fault.New(fault.CommError, "the events ended before the last one was there")

// CallEvents is [Call] for an answer of server-sent events, such as one of [Events] or of a language model. take is called with
// each event when it has come, and with a pointer to the result so far, which begins as the zero Out. take reports whether this was
// the last event; then the step succeeds with the result.
//
// The header Accept of the request becomes text/event-stream, unless it contains that already. take is called on a goroutine of the
// step, with the context of the request. It may hand out values by flow.Output.Send. Those of an attempt that fails later aren't
// taken back.
//
// Errors: those of Call and of [ReadEvents], such as fault.CommError for an answer that isn't of the Content-Type text/event-stream;
// an error of take ends the step as it is. An answer that ends before take has reported true fails with fault.CommError, so that
// retry.Of may try again: a server that has died looks like one that has sent everything. If no event marks the end of an answer,
// use Call and ReadEvents.
//
// Cancellation and nil arguments are those of Call.
//
//spec:ftn12 §1.13
func CallEvents[In, Out any](
	client *http.Client, request func(ctx context.Context, in In) (*http.Request, error),
	take func(ctx context.Context, out *Out, event Event) (last bool, err error),
) step.Step[In, Out] {
	if request == nil || take == nil {
		return Call[In, Out](client, nil, nil)
	}
	asking := func(ctx context.Context, in In) (*http.Request, error) {
		r, err := request(ctx, in)
		if err != nil || r == nil || strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			return r, err
		}
		if r.Header == nil {
			r.Header = make(http.Header)
		}
		r.Header.Set("Accept", "text/event-stream")
		return r, nil
	}
	return Call(client, asking, func(r *http.Response) (out Out, err error) {
		for event, err := range ReadEvents(r) {
			if err != nil {
				return out, err
			}
			if last, err := take(r.Request.Context(), &out, event); last || err != nil {
				return out, err
			}
		}
		return out, errUnfinished
	})
}
