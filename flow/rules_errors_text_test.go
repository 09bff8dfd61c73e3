package flow_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
)

// The text of an error has each message and each place once, whatever the error has passed.
func TestErrorTextSaysNothingTwice(t *testing.T) {
	for _, c := range []struct {
		name string
		fail step.Step[int, int]
		want string // what must be in the text
	}{
		{"a Go error", failing(errors.New("sent back")), "sent back"},
		{"a coded error", failing(fault.New("Refused", "sent back")), "Refused: sent back"},
		{"a bare code", failing(fault.Code("Refused")), "Refused"},
		{"a wrapped one", failing(fmt.Errorf("on Monday: %w", fault.New("Refused", "sent back"))), "on Monday: Refused: sent back"},
		{"a cause", failing(fault.Wrap("Refused", "sent back", errors.New("on Monday"))), "on Monday"},
		{"two errors", failing(errors.Join(fault.New("Refused", "sent back"), errors.New("on Monday"))), "on Monday"},
		{"a limit", flow.Timeout(time.Second, step.Delay[int](time.Hour)), "took longer than 1s"},
		{"a panic", step.Map(func(int) int { panic("sent back") }), "panic: sent back"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { nest(t, c.fail, c.want) })
		})
	}
}

// nest runs fail inside of each combination of three stages of aroundErrors, and checks the text of the error.
func nest(t *testing.T, fail step.Step[int, int], want string) {
	group := tool.NewGroup(1, tool.Options{})
	defer group.Shutdown(t.Context())
	around := aroundErrors(group)
	for _, inner := range around {
		for _, middle := range around {
			for _, outer := range around {
				s := outer.of(3, middle.of(2, inner.of(1, fail)))
				_, err := flow.Run(t.Context(), s, 1)
				if err == nil {
					t.Fatalf("%s, %s, %s: no error", inner.name, middle.name, outer.name)
				}
				text := err.Error()
				if part := saidTwice(text); part != "" {
					t.Errorf("%s, %s, %s: %q is said twice:\n%s", inner.name, middle.name, outer.name, part, text)
				}
				if !strings.Contains(text, want) {
					t.Errorf("%s, %s, %s: %q isn't said:\n%s", inner.name, middle.name, outer.name, want, text)
				}
			}
		}
	}
}

// aroundError is something that an error passes. of puts it, the nth from the inside, around a step.
type aroundError struct {
	name string
	of   func(n int, s step.Step[int, int]) step.Step[int, int]
}

func aroundErrors(group *tool.Group) []aroundError {
	return []aroundError{
		{"Try", func(_ int, s step.Step[int, int]) step.Step[int, int] {
			return flow.Then(flow.Try(s), step.Func(func(_ step.Scope, r flow.Result[int]) (int, error) { return r.Value, r.Err }))
		}},
		{"fmt.Errorf", func(n int, s step.Step[int, int]) step.Step[int, int] {
			return flow.Catch(s, func(_ step.Scope, err error) step.Next[int] {
				return step.Fail[int](fmt.Errorf("wrapper %d: %w", n, err))
			})
		}},
		{"errors.Join", func(n int, s step.Step[int, int]) step.Step[int, int] {
			return flow.Catch(s, func(_ step.Scope, err error) step.Next[int] {
				return step.Fail[int](errors.Join(err, fmt.Errorf("neighbour %d", n)))
			})
		}},
		{"a silent Catch", func(_ int, s step.Step[int, int]) step.Step[int, int] {
			return flow.Catch(s, func(step.Scope, error) step.Next[int] { return step.Unwind[int]() })
		}},
		{"retry", func(_ int, s step.Step[int, int]) step.Step[int, int] {
			return retry.Of(retry.Policy{Tries: 2, If: func(error) bool { return true }}, s)
		}},
		{"Timeout", func(_ int, s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(time.Hour, s) }},
		{"Par", func(n int, s step.Step[int, int]) step.Step[int, int] {
			hooked := flow.OnCancel(step.Delay[int](time.Minute), func(step.Scope) { panic(fmt.Sprint("hook ", n)) })
			return flow.Then(flow.Par(hooked, s), step.Map(func(all []int) int { return all[0] }))
		}},
		{"On", func(_ int, s step.Step[int, int]) step.Step[int, int] { return flow.On(group, s) }},
		{"a run", func(_ int, s step.Step[int, int]) step.Step[int, int] {
			return step.Await(func(ctx context.Context, in int) (int, error) { return flow.Run(ctx, s, in) })
		}},
		{"a stream", func(_ int, s step.Step[int, int]) step.Step[int, int] {
			return stream.ForEach(stream.Through(stream.Input(func(in int) []int { return []int{in} }, stream.Slice[int]()), stream.Bound{Limit: 1}, s), func(int) error { return nil })
		}},
	}
}

func failing(err error) step.Step[int, int] {
	return step.Func(func(step.Scope, int) (int, error) { return 0, err })
}

// saidTwice returns a message or a place that text has twice, "" if there is none.
func saidTwice(text string) string {
	seen := map[string]bool{}
	for _, part := range errorParts.FindAllString(text, -1) {
		if seen[part] {
			return part
		}
		seen[part] = true
	}
	return ""
}

var errorParts = regexp.MustCompile(`\(at [^)]*\)|sent back|Refused|on Monday|took longer than|wrapper \d|neighbour \d|hook \d`)
