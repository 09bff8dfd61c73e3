// Package remote holds what httpx and grpcx share: their policies for calls of other programs.
package remote

import (
	"slices"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/primary"
	"github.com/futoin-go/asyncsteps/retry"
)

// Failure is why an attempt has failed.
type Failure interface {
	error
	// Next says whether another attempt may follow, and which pause the other program wants before it; below zero it wants none.
	Next() (again bool, after time.Duration)
}

// Retry returns p for attempts that fail with an F. It is asked before what p asks, and its pause counts unless p has pauses of its
// own. No attempt follows another error.
func Retry[F Failure](p retry.Policy) retry.Policy {
	verdict := func(err error) (again bool, after time.Duration) {
		if f, ok := primary.As[F](err); ok {
			return f.Next()
		}
		return false, -1
	}
	only, narrower := p.Codes, p.If
	chosen := func(err error) bool {
		return only == nil && narrower == nil || slices.Contains(only, fault.CodeOf(err)) || narrower != nil && narrower(err)
	}
	p.Codes = nil
	p.If = func(err error) bool {
		again, _ := verdict(err)
		return again && chosen(err)
	}
	if p.PauseAfter == nil {
		p.PauseAfter = func(_ int, err error) time.Duration {
			_, after := verdict(err)
			return after
		}
	}
	return p
}

// Wrong returns what is wrong with a policy that plans don't report as clearly, "" if nothing is.
func Wrong(limit, hedge time.Duration, hedges int) string {
	switch {
	case limit < 0:
		return "Limit is below zero: " + limit.String()
	case hedge < 0:
		return "Hedge is below zero: " + hedge.String()
	case hedges < 0:
		return "Hedges is below zero: " + strconv.Itoa(hedges)
	default:
		return ""
	}
}
