package retry_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/config"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

func TestPolicyJSON(t *testing.T) {
	p := retry.Policy{
		Tries: 4, Elapsed: time.Minute, Pause: 100 * time.Millisecond, Factor: 2, MaxPause: 5 * time.Second, Jitter: 0.5, MaxRetryAfter: time.Hour,
		Codes: []fault.Code{fault.Timeout, fault.CommError}, Budget: retry.NewBudget(0.2, 10),
		If: func(error) bool { return true },
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"tries":4,"elapsed":"1m0s","pause":"100ms","factor":2,"maxPause":"5s","jitter":0.5,"maxRetryAfter":"1h0m0s","codes":["Timeout","CommError"],"budget":{"share":0.2,"floor":10}}`
	if string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
	var read retry.Policy
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(read); string(again) != want || err != nil {
		t.Errorf("read and written again: %s, %v", again, err)
	}
	if err := flow.Of(retry.Of(read, step.Map(func(n int) int { return n }))).Err(); err != nil {
		t.Error(err)
	}
}

// What the text doesn't have keeps its value: a file needs only what differs from the defaults.
func TestPolicyJSONOverDefaults(t *testing.T) {
	codes := []fault.Code{fault.Timeout, fault.CommError}
	budget := retry.NewBudget(0.1, 1)
	asked := func(error) bool { return true }
	p := retry.Policy{Tries: 4, Pause: time.Second, Codes: codes, Budget: budget, If: asked}
	if err := json.Unmarshal([]byte(`{"pause":"2s","codes":["ConnectError"],"factor":null}`), &p); err != nil {
		t.Fatal(err)
	}
	if p.Tries != 4 || p.Pause != 2*time.Second || fmt.Sprint(p.Codes) != "[ConnectError]" || p.Budget != budget || p.If == nil {
		t.Errorf("%+v", p)
	}
	if codes[0] != fault.Timeout {
		t.Error("the codes of the defaults were changed")
	}
}

func TestPolicyJSONErrors(t *testing.T) {
	type service struct {
		Payments struct {
			Retry retry.Policy `json:"retry"`
		} `json:"payments"`
	}
	for text, want := range map[string]string{
		`{"pause":"5 seconds"}`:         `payments.retry.pause: "5 seconds" is no duration such as "1.5s"`,
		`{"pause":5}`:                   `payments.retry.pause: 5 is no duration such as "1.5s"`,
		`{"tries":"4"}`:                 `payments.retry.tries: a JSON string where a value of the type int belongs`,
		`{"tires":4}`:                   `payments.retry.tires: there is no such field`,
		`{"if":4}`:                      `payments.retry.if: there is no such field`,
		`{"jitter":2}`:                  `payments.retry: Jitter must be from 0 to 1, got 2`,
		`{"pause":"-1s"}`:               `payments.retry: Pause is below zero: -1s`,
		`{"factor":0.5}`:                `payments.retry: Factor must be 0, or 1 and more, got 0.5`,
		`{"budget":{"share":-1}}`:       `payments.retry: the share of a Budget must be a number that isn't below zero, got -1`,
		`{"budget":{"floor":1,"of":2}}`: `payments.retry.budget.of: there is no such field`,
		`{"codes":"Timeout"}`:           `payments.retry.codes: a JSON string where a list belongs`,
		`[]`:                            `payments.retry: a JSON array where an object belongs`,
	} {
		var s service
		s.Payments.Retry = retry.Policy{Tries: 7, Pause: time.Hour}
		if err := config.Read([]byte(`{"payments":{"retry":`+text+`}}`), &s); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if err := json.Unmarshal([]byte(text), &s.Payments.Retry); err == nil {
			t.Errorf("%s: encoding/json has read it", text)
		}
		if p := s.Payments.Retry; p.Tries != 7 || p.Pause != time.Hour || p.Jitter != 0 || p.Budget != nil {
			t.Errorf("%s has changed the policy: %+v", text, p)
		}
	}
}
