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

// What a value costs doesn't depend on how many were sent before: sendVoid looks at the attempts, not at their ranges of values,
// which become many when two branches send by turns.
func TestOpenAttempts(t *testing.T) {
	out := flow.NewOutput[int]("number")
	send := retry.Of(retry.Policy{}, loopx.Repeat(100, flow.Then(step.Map(func(i loopx.Iteration[int]) int { return i.Index }), out.Emit())))
	to := &events{w: httptest.NewRecorder(), r: httptest.NewRequest(http.MethodGet, "/", nil)}
	for v, attempt := range flow.RunOutput(t.Context(), out, flow.Par(send, send), 0).All() {
		if err := sendValue(to, v, attempt); err != nil {
			t.Fatal(err)
		}
	}
	if to.sent != 200 || len(to.open) != 2 {
		t.Errorf("%d values were sent, and sendVoid looks at %d entries", to.sent, len(to.open))
	}
}
