package httpx

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/step"
)

// maxAnswer is the length of the longest answer that ReadJSON decodes, in bytes.
const maxAnswer = 16 << 20

// Call makes a step that sends a request through client and reads the answer: request makes the request from the step's input,
// with ctx as its context, and decode makes the result from the answer. The step closes the body of the answer. A nil client
// stands for http.DefaultClient.
//
// request and decode are called on a goroutine of the step, as the body of step.Await is. An error that one of them returns fails
// the step unchanged. An error of client that has a code of package fault, as one of a [Transport] does, keeps it. Any other error
// of client gets a code, unless the context of the request has ended: fault.ConnectError if no connection was made, otherwise
// fault.Timeout if a time limit of client or of its transport has passed, and otherwise fault.CommError. If the Timeout of client
// passes while [ReadJSON], [ReadEvents] or [Download] reads the body, the error is fault.Timeout too. A certificate that isn't
// trusted, ten redirects and a URL that can't be requested are permanent errors: a retry.Policy without Codes and If doesn't try
// again. decode is also called for answers with a status such as 404: [CheckStatus] returns an error for them. If decode needs
// something of the input, request can store it in the context of the request, and decode reads it from r.Request.Context(). With
// HTTP/1.1 the connection is used again only if decode has read the body to its end. [ReadJSON] reads up to 16 MiB of an answer of
// 2xx, and [ReadStatus] up to 64 KiB. Both read up to 4096 bytes of any other answer.
//
// Cancellation: ends the request, and the reading of its answer. A nil request or decode is
// reported by flow.Plan.Err.
//
//spec:ftn12 §1.13
func Call[In, Out any](
	client *http.Client, request func(ctx context.Context, in In) (*http.Request, error), decode func(r *http.Response) (Out, error),
) step.Step[In, Out] {
	if request == nil || decode == nil {
		return step.Await[In, Out](nil)
	}
	if client == nil {
		client = http.DefaultClient
	}
	return step.Await(func(ctx context.Context, in In) (out Out, err error) {
		r, err := request(ctx, in)
		if err != nil {
			return out, err
		}
		answer, err := do(client, r)
		if err != nil {
			return out, err
		}
		defer func() { _ = answer.Body.Close() }()
		return decode(answer)
	})
}

// do sends r through client. The answer has a Request; an error has a code, unless the context of r has ended.
func do(client *http.Client, r *http.Request) (*http.Response, error) {
	answer, err := client.Do(r)
	if err != nil {
		return nil, coded(r, err)
	}
	if answer.Request == nil { // an http.RoundTripper that isn't of net/http may leave it out
		answer.Request = r
	}
	return answer, nil
}

// coded gives err a code, unless err has one or the context of r has ended. It removes the parts of the URL in err that may be
// secret.
func coded(r *http.Request, err error) error {
	host := r.URL.Host
	if e, ok := fault.AsType[*url.Error](err); ok {
		if u, err := url.Parse(e.URL); err == nil {
			e.URL, host = public(*u), u.Host // after a redirect the host isn't that of r
		}
	}
	if _, ok := fault.AsType[*fault.Error](err); ok || r.Context().Err() != nil {
		return err
	}
	if lasts(err) {
		err = lasting{err}
	}
	if unsent(err) {
		return fault.Wrap(fault.ConnectError, "no connection to "+host, err)
	}
	return broke(r.Method+" "+host, err)
}

// broke wraps the error of an exchange: with fault.Timeout if the time of the client, its transport or a context is up, otherwise
// with fault.CommError. The text of err isn't part of the info, because WriteError may show the info to a client, and the text has
// addresses and paths.
func broke(info string, err error) error {
	code := fault.CommError
	if errors.Is(err, context.DeadlineExceeded) {
		code = fault.Timeout
	}
	return fault.Wrap(code, info, err)
}

// GetJSON makes a step whose input is a URL. The step gets the URL and decodes the JSON of the answer, of at most 16 MiB. An answer
// with a status other than 2xx fails the step with a [*StatusError], one that isn't JSON of an Out with fault.CommError. An answer
// without a body, such as 204, gives the zero Out. Everything else is as for [Call].
//
//spec:ftn12 §1.13
func GetJSON[Out any](client *http.Client) step.Step[string, Out] {
	return Call(client, func(ctx context.Context, url string) (*http.Request, error) {
		return newRequest(ctx, http.MethodGet, url, nil)
	}, ReadJSON[Out])
}

// PostJSON makes a step that posts its input as JSON to url and decodes the JSON of the answer,
// as [GetJSON] does.
//
//spec:ftn12 §1.13
func PostJSON[In, Out any](client *http.Client, url string) step.Step[In, Out] {
	return Call(client, func(ctx context.Context, in In) (*http.Request, error) {
		return NewJSONRequest(ctx, http.MethodPost, url, in)
	}, ReadJSON[Out])
}

// NewJSONRequest makes a request whose body is the JSON of in, for steps of [Call] that need another method than POST or headers of
// their own. The request asks for an answer in JSON. Its body can be sent several times, so a [Transport] can repeat the request.
//
// Errors: fault.InvokerError if in can't be encoded, or if method or url is malformed. Any goroutine may call it. The end of
// ctx ends the request, as with http.NewRequestWithContext.
//
//spec:ftn12 §1.13
func NewJSONRequest[In any](ctx context.Context, method, url string, in In) (*http.Request, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return nil, fault.Wrap(fault.InvokerError, "the input can't be encoded", err)
	}
	r, err := newRequest(ctx, method, url, bytes.NewReader(text))
	if err == nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, err
}

func newRequest(ctx context.Context, method, url string, body io.Reader) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, fault.Wrap(fault.InvokerError, "not a request", err)
	}
	r.Header.Set("Accept", "application/json")
	return r, nil
}

// CheckStatus returns nil for a status of 2xx, and otherwise a [*StatusError] with the first 4096 bytes of the body.
func CheckStatus(r *http.Response) error {
	if r.StatusCode >= 200 && r.StatusCode < 300 {
		return nil
	}
	return badStatus(r)
}

func badStatus(r *http.Response) error {
	e := newStatusError(r.Request, r)
	e.answer = nil
	e.Body, _ = io.ReadAll(io.LimitReader(r.Body, 4096)) // if the body breaks off, Body has its beginning
	return e
}

// ReadStatus is the decode for steps of [Call] that need only the status of the answer. It returns the error of [CheckStatus]. If
// the status is 2xx, it reads up to 64 KiB of the body, so that the connection can be used again. A body that breaks off is no
// error.
//
// ReadStatus blocks while it reads the body. The end of the request's context, for example by a limit or a cancel of the step, ends
// the reading.
//
//spec:ftn12 §1.13
func ReadStatus(r *http.Response) (step.Unit, error) {
	err := CheckStatus(r)
	if err == nil {
		_, _ = io.CopyN(io.Discard, r.Body, drained)
	}
	return step.Unit{}, err
}

// ReadJSON is the decode of [GetJSON] and [PostJSON], for steps of [Call].
func ReadJSON[Out any](r *http.Response) (out Out, err error) {
	if err := CheckStatus(r); err != nil {
		return out, err
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, maxAnswer+1))
	switch {
	case err != nil:
		return out, broke("the answer broke off", err)
	case len(text) > maxAnswer:
		return out, fault.New(fault.CommError, fmt.Sprintf("the answer is longer than %d bytes", maxAnswer))
	case len(text) == 0:
		return out, nil
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return out, fault.Wrap(fault.CommError, "the answer is not the JSON that was expected", err)
	}
	return out, nil
}
