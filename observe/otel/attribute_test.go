package otel_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/otel"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Exporters refuse all spans that they were about to send if one of them has a text that isn't valid UTF-8.
func TestTextsAreValid(t *testing.T) {
	const bad = "caf\xe9"
	breaker := syncx.NewBreaker(syncx.BreakerPolicy{Name: bad, Failures: 1})
	failing := flow.Named(bad, syncx.Sync(breaker, plantest.Named(bad, fault.New(fault.Code(bad), bad))))
	silent := flow.Catch(failing, func(step.Scope, error) step.Next[step.Unit] { return step.Succeed(step.Unit{}) })
	numbers := stream.Named(bad, stream.Slice[int]())
	streamed := flow.Then(step.Map(func(step.Unit) []int { return []int{1} }), stream.Collect(numbers))
	crash := step.Map(func([]int) step.Unit { panic(bad) })
	for _, o := range []otel.Options{{}, {RunsOnly: true}} {
		h := newHarness(t, o)
		h.ctx = observe.WithAttrs(h.ctx, slog.String(bad, bad), slog.Group(bad, slog.Any(bad, []string{bad})))
		_ = runPlan(h, flow.Named(bad, flow.Then(silent, flow.Then(streamed, crash))))
		_ = runPlan(h, failing)
		seen := 0
		check := func(what string, all ...string) {
			for _, text := range all {
				if !utf8.ValidString(text) {
					t.Errorf("%s %q isn't valid", what, text)
				}
				if strings.Contains(text, "caf\uFFFD") {
					seen++
				}
			}
		}
		of := func(attrs []attribute.KeyValue) (all []string) {
			for _, a := range attrs {
				all = append(all, string(a.Key), a.Value.String())
			}
			return all
		}
		for _, s := range h.spans.Ended() {
			check("name", s.Name())
			check("status", s.Status().Description)
			check("attribute", of(s.Attributes())...)
			for _, e := range s.Events() {
				check(fmt.Sprint("of ", e.Name, ":"), of(e.Attributes)...)
			}
		}
		if seen < 5 {
			t.Errorf("%d texts were seen", seen)
		}
	}
}
