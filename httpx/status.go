package httpx

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/primary"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

var statuses = map[fault.Code]int{
	fault.InvalidRequest:      http.StatusBadRequest,
	fault.Unauthorized:        http.StatusForbidden,
	fault.SecurityError:       http.StatusUnauthorized,
	fault.PleaseReauth:        http.StatusUnauthorized,
	fault.NotImplemented:      http.StatusNotImplemented,
	fault.UnknownInterface:    http.StatusNotFound,
	fault.NotSupportedVersion: http.StatusBadRequest,
	fault.DefenseRejected:     http.StatusTooManyRequests,
	fault.Timeout:             http.StatusGatewayTimeout,
	fault.Cancelled:           http.StatusServiceUnavailable,
	fault.ConnectError:        http.StatusBadGateway,
	fault.CommError:           http.StatusBadGateway,
	syncx.CircuitOpen:         http.StatusServiceUnavailable,
	syncx.LeaseLost:           http.StatusServiceUnavailable,
}

// Status returns the HTTP status of an error: the one that [WithStatus] has given it, or else the one for its code of package
// fault. Secondary errors don't count. Status returns 503 for tool.ErrShutdown, 500 for a code without a status, and 200 for nil.
// Any goroutine may call it.
func Status(err error) int {
	if err == nil {
		return http.StatusOK
	}
	if status := given(err); status != 0 {
		return status
	}
	if closing, ok := primary.As[tool.Error](err); ok && closing == tool.ErrShutdown {
		return http.StatusServiceUnavailable
	}
	if status, ok := statuses[fault.CodeOf(err)]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// WithStatus returns err with an HTTP status: [Status] returns that status, and [WriteError] shows the text of err if the status is
// from 400 to 499 and not 429. A step uses it where no code of package fault fits:
//
//	return item, httpx.WithStatus(http.StatusNotFound, fault.New("NoItem", "no item "+id))
//
// errors.Is and errors.As reach err, which may be nil. A status that isn't from 400 to 599 becomes 500.
func WithStatus(status int, err error) error {
	if status < 400 || status > 599 {
		err = errors.Join(fmt.Errorf("httpx: %d is not the status of an error", status), err)
		status = http.StatusInternalServerError
	}
	return &withStatus{status, err}
}

type withStatus struct {
	status int
	err    error
}

func (e *withStatus) Error() string {
	if e.err == nil {
		return http.StatusText(e.status)
	}
	return e.err.Error()
}

func (e *withStatus) Unwrap() error { return e.err }

func given(err error) int {
	if e, ok := primary.As[*withStatus](err); ok {
		return e.status
	}
	return 0
}

// problem is the body of an error answer, as RFC 9457 describes it.
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// WriteError answers a request with the status of err and a problem of RFC 9457 as JSON. Its detail is the
// text of err, by fault.InfoOf, if err is a mistake of the client: a status from 400 to 499
// other than 429. Of any other error the client sees the status alone, so log it. The header
// Retry-After is set with 429 and 503: to the time after which an open breaker lets requests
// probe, if that is known, and otherwise to one second. The request isn't used and may be nil.
//
// A nil err is answered with 500: there was no error to write. Call WriteError once, before
// anything of the answer is written.
func WriteError(w http.ResponseWriter, _ *http.Request, err error) {
	status, text := problemOf(err)
	h := w.Header()
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		h.Set("Retry-After", strconv.FormatInt(seconds(err), 10))
	}
	h.Del("Content-Length")
	h.Set("Content-Type", "application/problem+json")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // a client that has gone reads nothing
}

// problemOf returns the status of err and what a client may know of it, as JSON. A nil err counts as one with 500.
func problemOf(err error) (status int, text []byte) {
	status = Status(err)
	if err == nil {
		status = http.StatusInternalServerError
	}
	p := problem{Title: http.StatusText(status), Status: status}
	if status < http.StatusInternalServerError && status != http.StatusTooManyRequests {
		p.Detail = fault.InfoOf(err)
	}
	text, _ = json.Marshal(p) //nolint:errchkjson // two texts and a number
	return status, text
}

// seconds returns after how many seconds another try may succeed, for Retry-After.
func seconds(err error) int64 {
	if refused, ok := primary.As[*syncx.Refusal](err); ok {
		return max(1, int64((refused.After-1)/time.Second)+1) // rounded up
	}
	return 1
}
