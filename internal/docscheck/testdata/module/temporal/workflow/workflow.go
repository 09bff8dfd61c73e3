// Package workflow has the types that docs/from/temporal.md uses.
package workflow

import (
	"time"

	"go.temporal.io/sdk/temporal"
)

type Context interface {
	Err() error
}

type ActivityOptions struct {
	ScheduleToCloseTimeout time.Duration
	RetryPolicy            *temporal.RetryPolicy
}

type Future interface {
	Get(ctx Context, valuePtr any) error
}

func WithActivityOptions(ctx Context, _ ActivityOptions) Context { return ctx }

func ExecuteActivity(_ Context, _ any, _ ...any) Future { return nil }
