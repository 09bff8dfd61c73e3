package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/primary"
)

// NamedError is an error with the name under which processes exchange it.
type NamedError struct {
	Name string
	Err  error
}

// common are errors that pass without being named by durable.Errors. An engine may add others.
var common = []NamedError{
	{"durable.ErrNoRun", ErrNoRun},
	{"durable.ErrOtherWorkflow", ErrOtherWorkflow},
	{"durable.ErrTerminated", ErrTerminated},
	{"durable.ErrUnexpectedSignal", ErrUnexpectedSignal},
	{"durable.ErrUnstorable", ErrUnstorable},

	{"context.Canceled", context.Canceled},
	{"context.DeadlineExceeded", context.DeadlineExceeded},
	{"errors.ErrUnsupported", errors.ErrUnsupported},
	{"io.EOF", io.EOF},
	{"io.ErrClosedPipe", io.ErrClosedPipe},
	{"io.ErrNoProgress", io.ErrNoProgress},
	{"io.ErrShortBuffer", io.ErrShortBuffer},
	{"io.ErrShortWrite", io.ErrShortWrite},
	{"io.ErrUnexpectedEOF", io.ErrUnexpectedEOF},
	{"os.ErrClosed", os.ErrClosed},
	{"os.ErrDeadlineExceeded", os.ErrDeadlineExceeded},
	{"os.ErrExist", os.ErrExist},
	{"os.ErrInvalid", os.ErrInvalid},
	{"os.ErrNoDeadline", os.ErrNoDeadline},
	{"os.ErrNoHandle", os.ErrNoHandle},
	{"os.ErrNotExist", os.ErrNotExist},
	{"os.ErrPermission", os.ErrPermission},
	{"os.ErrProcessDone", os.ErrProcessDone},
	{"sql.ErrConnDone", sql.ErrConnDone},
	{"sql.ErrNoRows", sql.ErrNoRows},
	{"sql.ErrTxDone", sql.ErrTxDone},
}

// Wire is the form in which an error passes between processes.
type Wire struct {
	Code  fault.Code `json:"code,omitempty"`
	Info  string     `json:"info,omitempty"`
	Names []string   `json:"names,omitempty"` // the names of errors given to durable.Errors, and of common ones
	Panic *WirePanic `json:"panic,omitempty"`

	Permanent  bool           `json:"permanent,omitempty"`  // another attempt would fail too
	RetryAfter *time.Duration `json:"retryAfter,omitempty"` // how long to wait before another attempt
}

// WirePanic is a fault.Panic: the text of its value, and its stack.
type WirePanic struct {
	Value string `json:"value"`
	Stack string `json:"stack"`
}

// Wire returns what passes of err besides its text. The errors in also pass by name, like those in s.Named and common. If a method
// of err panics or ends the goroutine, the field that needed the method stays empty, and so do the later ones.
func (s *Settings) Wire(err error, also ...NamedError) (w Wire) {
	_ = Shielded(func() error {
		w.fill(err, slices.Concat(s.Named, common, also))
		return nil
	})
	return w
}

func (w *Wire) fill(err error, named []NamedError) {
	if coded(err) {
		w.Code, w.Info = fault.CodeOf(err), Cut(fault.InfoOf(err))
	}
	for _, n := range named {
		if fault.Is(err, n.Err) && (w.Code == "" || !w.Code.Is(n.Err)) {
			w.Names = append(w.Names, n.Name)
		}
	}
	if p, ok := fault.AsType[*fault.Panic](err); ok {
		w.Panic = &WirePanic{Cut(fmt.Sprint(p.Value)), Cut(string(p.Stack))}
	}
	w.advise(err)
}

func (w *Wire) advise(err error) {
	if e, ok := primary.As[lasting](err); ok {
		w.Permanent = e.Permanent()
	}
	if e, ok := primary.As[asking](err); ok {
		if d, asks := e.RetryAfter(); asks {
			w.RetryAfter = &d
		}
	}
}

type (
	lasting interface {
		error
		Permanent() bool
	}
	asking interface {
		error
		RetryAfter() (time.Duration, bool)
	}
)

// advice holds what the methods Permanent and RetryAfter of an error returned in another process.
type advice struct {
	permanent bool
	after     *time.Duration
}

func (advice) Error() string { return "advice for another attempt" }

func (a advice) Permanent() bool { return a.permanent }

func (a advice) RetryAfter() (d time.Duration, ok bool) {
	if a.after == nil {
		return 0, false
	}
	return *a.after, true
}

// Text returns the text of err, cut by Cut. If its method Error ends the goroutine, or panics so that package fmt panics too, the text
// says so.
func Text(err error) string {
	text, _ := said(err)
	return Cut(text)
}

// said is Text without the cut. own reports whether the text is that of the method Error.
func said(err error) (text string, own bool) {
	if Shielded(func() error { text = fmt.Sprint(err); return nil }) != nil {
		return fmt.Sprintf("an error of the type %T, whose text can't be had", err), false
	}
	return text, true
}

// Cancelled reports whether err has the code Cancelled. It returns false if a method of err panics or ends the goroutine.
func Cancelled(err error) (is bool) {
	_ = Shielded(func() error {
		is = errors.Is(err, fault.Cancelled)
		return nil
	})
	return is
}

// Cut cuts a text that comes with an error to 64 KiB and an ellipsis: an engine may not be able to store more.
func Cut(text string) string {
	const most = 64 << 10
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// coded reports whether err carries a code of its own.
func coded(err error) bool {
	if _, ok := fault.AsType[*fault.Error](err); ok {
		return true
	}
	_, ok := fault.AsType[fault.Code](err)
	return ok
}

// Far returns the error that was encoded as text and w. By name it finds the errors in s.Named, in common and in also.
func (s *Settings) Far(text string, w Wire, also ...NamedError) error {
	is := s.Means(w, also...)
	if len(is) == 1 && w.Code != "" && is[0].Error() == text {
		return is[0]
	}
	return &FarError{text, is}
}

// Means returns the errors that errors.Is and errors.As find in the error that was encoded as w. The error with the code comes
// first, because named errors may have codes of their own.
func (s *Settings) Means(w Wire, also ...NamedError) (is []error) {
	if w.Code != "" {
		is = append(is, fault.New(w.Code, w.Info))
	}
	for _, n := range slices.Concat(s.Named, common, also) {
		if slices.Contains(w.Names, n.Name) {
			is = append(is, n.Err)
		}
	}
	if w.Panic != nil {
		is = append(is, &fault.Panic{Value: w.Panic.Value, Stack: []byte(w.Panic.Stack)})
	}
	if w.Permanent || w.RetryAfter != nil {
		is = append(is, advice{w.Permanent, w.RetryAfter})
	}
	return is
}

// FarError is an error that another process has encoded, or this one has stored.
type FarError struct {
	Text  string
	Holds []error
}

// Error returns the text that the error had when it was encoded.
func (e *FarError) Error() string { return e.Text }

// Unwrap returns the errors that errors.Is and errors.As find: see [Settings.Means].
func (e *FarError) Unwrap() []error { return e.Holds }
