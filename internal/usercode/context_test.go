package usercode

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

var errStopped = errors.New("stopped")

func TestContextOfACalmContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calm := struct{ Calm }{Calm{ctx}}
	if got := Context(calm, Nobody); got != context.Context(calm) {
		t.Errorf("wrapped: %T", got)
	}
	if _, wrapped := Context(ctx, Nobody).(*wrapper); !wrapped {
		t.Error("one of the user's isn't wrapped")
	}
}

type panicking struct{ context.Context }

func (panicking) Err() error { panic("no answer") }

func TestEndOfABrokenContext(t *testing.T) {
	over, cancel := context.WithCancelCause(t.Context())
	cancel(errStopped)
	for name, test := range map[string]struct {
		ctx  context.Context
		want End
	}{
		"lasts":     {t.Context(), End{}},
		"cancelled": {over, End{Cause: errStopped}},
	} {
		if got := EndOf(test.ctx); got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
	end := EndOf(panicking{t.Context()})
	if p := (*fault.Panic)(nil); !end.Broken || end.Late || !errors.As(end.Cause, &p) || p.Value != "no answer" {
		t.Errorf("panics: got %+v", end)
	}
}

type counted struct {
	context.Context
	asked int
}

func (c *counted) Err() error { c.asked++; panic("no answer") }

// A context whose Err has panicked isn't asked again. Without a host the panic is logged.
func TestContextOfAContextThatPanics(t *testing.T) {
	var log bytes.Buffer
	was := slog.Default()
	defer slog.SetDefault(was)
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))

	c := &counted{Context: t.Context()}
	ctx := Context(c, nil)
	first, second := ctx.Err(), ctx.Err()
	if p := (*fault.Panic)(nil); !errors.As(first, &p) || second != first || c.asked != 1 {
		t.Errorf("ended with %v, and then with %v; asked %d times", first, second, c.asked)
	}
	if s := log.String(); strings.Count(s, "\n") != 1 || !strings.Contains(s, "no answer") {
		t.Errorf("logged: %s", s)
	}
}

// gone is a user's context whose Err ends the goroutine.
type gone struct {
	context.Context
	done chan struct{}
}

func (c gone) Done() <-chan struct{} { return c.done }
func (gone) Err() error              { runtime.Goexit(); return nil }

// Contexts that were made from one whose Err ends the goroutine end nevertheless.
func TestContextOfAContextThatEndsItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := gone{t.Context(), make(chan struct{})}
		child, free := context.WithCancel(Context(c, tool.NewHost(tool.TurnLimits{}, tool.WithOnError(func(error) {}))))
		defer free()
		close(c.done)
		synctest.Wait()
		if child.Err() == nil {
			t.Error("the child lasts")
		}
	})
}

type worthless struct{ context.Context }

func (worthless) Value(any) any { panic("no value") }

func TestValueOfAContextThatPanics(t *testing.T) {
	loop := tooltest.New()
	value := ValueOf(worthless{t.Context()}, loop.Host(), "key")
	if errs := loop.Errors(); value != nil || len(errs) != 1 || !strings.Contains(errs[0].Error(), "no value") {
		t.Errorf("got %v, reported are %v", value, errs)
	}
}
