// Package remote holds what httpx and grpcx share: both have policies for calls to other programs.
package remote

import (
	"slices"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/primary"
	"github.com/futoin-go/asyncsteps/retry"
)

// Failure is the error of a failed attempt.
type Failure interface {
	error
	// Again reports whether another attempt may follow.
	Again() bool
}

// Retry returns p, changed for attempts that fail with an F: another attempt follows only if F.Again allows it. If p.Codes or
// p.If is set, one of the two must allow it as well. After an error without an F no attempt follows.
func Retry[F Failure](p retry.Policy) retry.Policy {
	only, narrower := p.Codes, p.If
	chosen := func(err error) bool {
		return only == nil && narrower == nil || slices.Contains(only, fault.CodeOf(err)) || narrower != nil && narrower(err)
	}
	p.Codes = nil
	p.If = func(err error) bool {
		f, ok := primary.As[F](err)
		return ok && f.Again() && chosen(err)
	}
	return p
}

// mostHedges is the largest number of Hedges. A plan has a branch for each, also if it never begins.
const mostHedges = 100

// Wrong returns what is wrong with the fields Limit, Hedge and Hedges of a policy; "" if nothing is.
func Wrong(limit, hedge time.Duration, hedges int) string {
	switch {
	case limit < 0:
		return "Limit is below zero: " + limit.String()
	case hedge < 0:
		return "Hedge is below zero: " + hedge.String()
	case hedges < 0:
		return "Hedges is below zero: " + strconv.Itoa(hedges)
	case hedges > mostHedges:
		return "Hedges is above " + strconv.Itoa(mostHedges) + ": " + strconv.Itoa(hedges)
	default:
		return ""
	}
}
