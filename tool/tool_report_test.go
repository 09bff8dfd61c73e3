package tool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// breaks holds ways in which the user's code ends without returning.
var breaks = map[string]func(){"panic": func() { panic("boom") }, "Goexit": runtime.Goexit}

// T3: after an error handler has panicked or called Goexit, the loop still runs later callbacks.
func TestT3OnErrorBreaksOff(t *testing.T) {
	for name, breakOff := range breaks {
		for cause, callback := range breaks {
			t.Run(name+" when told of a "+cause, func(t *testing.T) {
				discardLogs(t)
				synctest.Test(t, func(t *testing.T) {
					var told collector[error]
					var ran collector[string]
					l := tool.Start(tool.Options{OnError: func(err error) { told.add(err); breakOff() }})
					mustSchedule(t)(l.Immediate(callback))
					mustSchedule(t)(l.Immediate(func() { ran.add("next") }))
					mustSchedule(t)(l.Deferred(time.Second, func() { ran.add("timer") }))
					time.Sleep(time.Second)
					synctest.Wait()
					wantOrder(t, ran.all(), "next", "timer")
					if len(told.all()) == 0 {
						t.Error("nothing was reported")
					}
					if err := l.Shutdown(context.Background()); err != nil {
						t.Errorf("Shutdown: %v", err)
					}
				})
			})
		}
	}
}

func TestWatchdogReportBreaksOff(t *testing.T) {
	for name, breakOff := range breaks {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stalls collector[tool.Stall]
				var told collector[error]
				l := tool.Start(tool.Options{
					OnError:  func(err error) { told.add(err); breakOff() },
					Watchdog: tool.Watchdog{After: time.Second, Report: func(s tool.Stall) { stalls.add(s); breakOff() }},
				})
				for range 2 {
					mustSchedule(t)(l.Immediate(func() { time.Sleep(3 * time.Second) }))
				}
				if err := l.Shutdown(context.Background()); err != nil {
					t.Error(err)
				}
				if n := len(stalls.all()); n != 2 {
					t.Errorf("%d stalls were reported, want 2", n)
				}
				if len(told.all()) != 2 {
					t.Errorf("the error handler was told %v, want both", told.all())
				}
			})
		})
	}
}

type panickingHandler struct{ slog.Handler }

func (panickingHandler) Enabled(context.Context, slog.Level) bool { panic("no disk") }

// T3: Report and Call return even if the log panics.
func TestT3LogPanics(t *testing.T) {
	former := slog.Default()
	defer slog.SetDefault(former)
	slog.SetDefault(slog.New(panickingHandler{former.Handler()}))
	h := tool.NewHost(tool.TurnLimits{})
	h.Report(errors.New("mine"))
	h.Call(func() { panic("boom") })
}

// T3: without an error handler a panic goes to the log, once.
func TestT3PanicIsLogged(t *testing.T) {
	logged := captureLog(t)
	tool.NewHost(tool.TurnLimits{}).Call(func() { panic("boom") })
	if text := logged.String(); strings.Count(text, "level=ERROR") != 1 || !strings.Contains(text, "boom") {
		t.Errorf("logged %q", text)
	}
}

// Without an error handler what was ended as planned is logged as a warning, and a defect as an error.
func TestLevelsOfTheLog(t *testing.T) {
	cutOff := fault.New(fault.CutOff, "step 0 did not end within the grace, and was cancelled")
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a grace":                      {cutOff, "WARN"},
		"a grace, wrapped":             {fmt.Errorf("cron: job mail: %w", cutOff), "WARN"},
		"a cancel":                     {fault.New(fault.Cancelled, ""), "WARN"},
		"a context":                    {fmt.Errorf("release: %w", context.Canceled), "WARN"},
		"a shutdown":                   {tool.ErrShutdown, "WARN"},
		"a shutdown, raised at a step": {fault.Wrap(fault.InternalError, "", fmt.Errorf("begin: %w", tool.ErrShutdown)), "WARN"},
		"a failure":                    {errors.New("no mail"), "ERROR"},
		"a limit":                      {fault.New(fault.Timeout, ""), "ERROR"},
		"a defect":                     {fault.New(fault.InternalError, "step 0 left a goroutine behind"), "ERROR"},
		"a defect after a grace":       {fault.Wrap(fault.InternalError, "", cutOff), "ERROR"},
		"a failure beside a shutdown":  {&fault.Error{Code: "NoMail", Secondary: []error{tool.ErrShutdown}}, "ERROR"},
		"a panic of a callback":        {&tool.PanicError{Value: cutOff}, "ERROR"},
		"a panic in a step of a grace": {fault.Wrap(fault.CutOff, "", &fault.Panic{Value: "boom"}), "ERROR"},
		"a nil pointer":                {(*fault.Error)(nil), "ERROR"},
	} {
		logged := captureLog(t)
		tool.NewHost(tool.TurnLimits{}).Report(c.err)
		if text := logged.String(); strings.Count(text, "level="+c.want) != 1 || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: logged %q, want level %s", name, text, c.want)
		}
	}
}

func captureLog(t *testing.T) *bytes.Buffer {
	t.Helper()
	former := slog.Default()
	t.Cleanup(func() { slog.SetDefault(former) })
	var logged bytes.Buffer
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	return &logged
}

func discardLogs(t *testing.T) {
	t.Helper()
	former := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { slog.SetDefault(former) })
}
