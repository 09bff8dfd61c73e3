package tool

import (
	"context"
	"log/slog"

	"github.com/futoin-go/asyncsteps/fault"
)

// logError is the error handler of a host without [WithOnError].
func logError(err error) {
	slog.Default().Log(context.Background(), level(err), "asyncsteps: event loop", "error", err)
}

// level returns the level at which err is logged: Warn if err tells only that something was ended as planned, by a grace, a
// cancel or a shutdown. A panic is a defect whatever its value is.
func level(err error) slog.Level {
	switch code := fault.CodeOf(err); {
	case code != fault.CutOff && code != fault.Cancelled && !isShutdown(err):
	case hasPanic(err):
	default:
		return slog.LevelWarn
	}
	return slog.LevelError
}

// isShutdown reports whether err is ErrShutdown or has it as its cause: that of a secondary error doesn't count.
func isShutdown(err error) bool {
	for range 100 { // an error may wrap itself
		e, ok := fault.AsType[*fault.Error](err)
		if !ok || e == nil {
			break
		}
		err = e.Cause
	}
	return fault.Is(err, ErrShutdown)
}

func hasPanic(err error) bool {
	if _, ok := fault.AsType[*PanicError](err); ok {
		return true
	}
	_, ok := fault.AsType[*fault.Panic](err)
	return ok
}
