package httpx

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

// What a value costs doesn't depend on how many were sent before: sendVoid looks at the attempts whose retries go on. Their ranges of
// values become many when two branches send by turns, and retries in a retry may be many that have ended.
func TestOpenAttempts(t *testing.T) {
	out := flow.NewOutput[int]("number")
	again := func(s step.Step[int, int]) step.Step[int, int] { return retry.Of(retry.Policy{}, s) }
	emit := flow.Then(step.Map(func(i loopx.Iteration[int]) int { return i.Index }), out.Emit())
	for reason, send := range map[string]step.Step[int, int]{
		"a loop in a retry":     again(loopx.Repeat(100, emit)),
		"retries in a retry":    again(loopx.Repeat(100, retry.Of(retry.Policy{}, emit))),
		"retries in no retry":   loopx.Repeat(100, retry.Of(retry.Policy{}, emit)),
		"retries in each other": again(again(loopx.Repeat(100, retry.Of(retry.Policy{}, emit)))),
	} {
		to := &events{w: httptest.NewRecorder(), r: httptest.NewRequest(http.MethodGet, "/", nil)}
		for v, attempt := range flow.RunOutput(t.Context(), out, flow.Par(send, send), 0).All() {
			if err := sendValue(to, v, attempt); err != nil {
				t.Fatal(err)
			}
		}
		if to.sent != 200 || len(to.open) > 6 {
			t.Errorf("%s: %d values were sent, and sendVoid looks at %d entries", reason, to.sent, len(to.open))
		}
	}
}
