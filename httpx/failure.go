package httpx

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/primary"
)

// failure is the error of a failed attempt.
type failure struct {
	cause  error
	again  bool           // another attempt may be made
	answer *http.Response // the answer of the attempt; nil if it has none
}

func (f *failure) Error() string { return f.cause.Error() }

func (f *failure) Unwrap() error { return f.cause }

// Again implements remote.Failure.
func (f *failure) Again() bool { return f.again }

// failureOf returns the failure that err is or wraps; secondary errors don't count. It returns nil if there is none.
func failureOf(err error) *failure {
	f, _ := primary.As[*failure](err)
	return f
}

func failureAnswer(err error) *http.Response {
	if f := failureOf(err); f != nil {
		return f.answer
	}
	return nil
}

// judge returns the failure of an attempt that has ended with err, or nil if err is a panic.
func (x *exchange) judge(err error) *failure {
	if f := failureOf(err); f != nil {
		return f
	}
	if _, panicked := primary.As[*fault.Panic](err); panicked {
		return nil
	}
	f := &failure{cause: err, again: x.repeatable}
	if status, ok := primary.As[*StatusError](err); ok {
		f.answer = status.answer
		return f
	}
	switch {
	case fault.CodeOf(err) == fault.Timeout:
	case unsent(err):
		f.cause = fault.Wrap(fault.ConnectError, "no connection to "+x.host(), err)
		f.again = rewinds(x.req)
	default:
		f.cause = broke(x.req.Method+" "+x.host(), err)
	}
	if lasts(err) {
		f.cause, f.again = lasting{f.cause}, false
	}
	return f
}

// lasts reports whether the error of a request would come again: the certificate isn't trusted, the client was redirected too
// often, or the request can't be sent. Most such errors can be recognized only by their texts.
func lasts(err error) bool {
	if _, ok := fault.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	for {
		e, ok := fault.AsType[*url.Error](err)
		if !ok {
			break
		}
		err = e.Err
	}
	if !slices.Contains(ofTexts[:], reflect.TypeOf(err)) { // Error of other types may be code of the user, which may panic or block
		return false
	}
	text := err.Error()
	return slices.ContainsFunc(lastingTexts[:], func(begins string) bool { return strings.HasPrefix(text, begins) })
}

// ofTexts are the types of errors that hold only a text.
var ofTexts = [...]reflect.Type{reflect.TypeOf(errors.New("")), reflect.TypeOf(fmt.Errorf("%d", 0))}

// lastingTexts are the beginnings of the texts of lasting errors of package net/http.
var lastingTexts = [...]string{
	"stopped after 10 redirects", "unsupported protocol scheme", "http: no Host in request URL", "net/http: invalid ",
}

// lasting makes an error permanent for a retry.Policy without Codes and If.
type lasting struct{ error }

func (e lasting) Unwrap() error { return e.error }

func (lasting) Permanent() bool { return true }

// unsent reports whether no connection was made, directly or through a proxy, so that the server has got nothing of the
// request.
func unsent(err error) bool {
	op, ok := fault.AsType[*net.OpError](err)
	return ok && (op.Op == "dial" || op.Op == "proxyconnect" || op.Op == "socks connect")
}

// RetryAfter returns how long to wait before another try, as the header Retry-After of an answer says, in seconds or as a date. A
// date is compared with the header Date, and not with a clock of this machine. ok is false if the header is absent or malformed, or
// is a date and there is no valid Date. Any goroutine may call it.
func RetryAfter(h http.Header) (d time.Duration, ok bool) {
	text := h.Get("Retry-After")
	if text == "" { // to parse nothing would make three errors
		return 0, false
	}
	if s, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(s, longestSeconds)) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0, false
	}
	return max(0, at.Sub(now)), true
}

// longestSeconds is how many seconds fit into a Duration. A larger number of seconds is cut to that.
const longestSeconds = uint64(math.MaxInt64 / time.Second)

// StatusError is an answer of a server whose status says that the request has failed. Steps of [GetJSON] and [PostJSON] fail with
// it. Its code is fault.CommError, whose [Status] is 502: a handler that passes the error on doesn't blame its own client for what
// the other server has refused.
type StatusError struct {
	Method string // "" if the answer has no Request
	URL    string // without user, password, query and fragment; "" if the answer has no Request
	Status int
	Header http.Header
	Body   []byte // the first 4096 bytes; nil if the error is that of an attempt of a [Transport]

	answer *http.Response // for the Transport; nil outside of it
}

// newStatusError makes an error without method and URL if r is nil or has no URL.
func newStatusError(r *http.Request, answer *http.Response) *StatusError {
	e := &StatusError{Status: answer.StatusCode, Header: answer.Header, answer: answer}
	if r != nil && r.URL != nil {
		e.Method, e.URL = cmp.Or(r.Method, http.MethodGet), public(*r.URL)
	}
	return e
}

// public returns u without user, password, query and fragment.
func public(u url.URL) string {
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// Answered reports whether err is a [*StatusError] with one of the given statuses, or wraps one. It leaves out secondary errors,
// such as those of earlier attempts, which errors.As finds too. It is for handlers, and for the If of a retry.Policy:
//
//	If: func(err error) bool { return httpx.Answered(err, http.StatusConflict) || !retry.Permanent(err) }
//
// Any goroutine may call it.
func Answered(err error, statuses ...int) bool {
	e, ok := primary.As[*StatusError](err)
	return ok && slices.Contains(statuses, e.Status)
}

// Error gives method, URL and status.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))
	if e.URL == "" {
		return text
	}
	return e.Method + " " + e.URL + ": " + text
}

// Unwrap returns fault.CommError.
func (e *StatusError) Unwrap() error { return fault.CommError }

// Permanent reports whether the same request would get the same status again, so that a retry.Policy without Codes and
// If doesn't repeat it. It is false for 408, 425, 429, and 500 to 599 except 501.
func (e *StatusError) Permanent() bool { return !passing(e.Status) }

// RetryAfter returns the pause that the header Retry-After asks for, as the function [RetryAfter] does. A retry.Policy
// waits at least that long before it tries again, unless its PauseAfter says otherwise.
func (e *StatusError) RetryAfter() (d time.Duration, ok bool) { return RetryAfter(e.Header) }

// roundTripError is the error of a RoundTrip.
type roundTripError struct{ err error }

func (e *roundTripError) Error() string { return e.err.Error() }

func (e *roundTripError) Unwrap() error { return e.err }

// Timeout reports whether a limit has passed, or the attempt has failed with a timeout of the network. url.Error.Timeout calls
// it.
func (e *roundTripError) Timeout() bool {
	var late interface{ Timeout() bool }
	return fault.CodeOf(e.err) == fault.Timeout || failureOf(e.err) != nil && errors.As(failureOf(e.err).cause, &late) && late.Timeout()
}
