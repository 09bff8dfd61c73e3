// Package remote is what the policies of packages httpx and grpcx have in common, which call other programs.
package remote

import (
	"slices"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/retry"
)

// Retry returns p for attempts whose failures say whether another one may follow: verdict is asked before what p asks. It also says
// which pause the other program wants, below zero if it wants none; that counts unless p has pauses of its own.
func Retry(p retry.Policy, verdict func(err error) (again bool, after time.Duration)) retry.Policy {
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
