package tool

import (
	"context"
	"log/slog"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/primary"
)

// logError is the error handler of a host without [WithOnError].
func logError(err error) {
	slog.Default().Log(context.Background(), Level(err), "asyncsteps: event loop", "error", err)
}

// Level returns the level at which to log err, an error that was given to [Options].OnError: slog.LevelWarn if err tells only that
// something was ended as planned, by a grace, a cancel or a shutdown; otherwise slog.LevelError. A panic is a defect
// whatever its value is. Any goroutine may call it.
func Level(err error) slog.Level {
	switch code := fault.CodeOf(err); {
	case code != fault.CutOff && code != fault.Cancelled && !primary.Is(err, ErrShutdown):
	case hasPanic(err):
	default:
		return slog.LevelWarn
	}
	return slog.LevelError
}

func hasPanic(err error) bool {
	if _, ok := fault.AsType[*PanicError](err); ok {
		return true
	}
	_, ok := fault.AsType[*fault.Panic](err)
	return ok
}
