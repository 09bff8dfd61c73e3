package httpx_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestPolicyJSON(t *testing.T) {
	text, err := json.Marshal(httpx.Policy{
		Retry: retry.Policy{Tries: 4, MaxRetryAfter: -1}, Limit: 2 * time.Second, Hedge: 500 * ms, Hedges: 2, DeadlineHeader: "X-Timeout-Ms",
	})
	want := `{"retry":{"tries":4,"elapsed":"0s","pause":"0s","factor":0,"maxPause":"0s","jitter":0,"maxRetryAfter":"-1ns"},"limit":"2s","hedge":"500ms","hedges":2,"deadlineHeader":"X-Timeout-Ms"}`
	if string(text) != want || err != nil {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	p := httpx.Policy{Limit: time.Second, Retry: retry.Policy{Tries: 7, Pause: time.Second}, PerHost: []func(string) syncx.Guard{nil}}
	if err := json.Unmarshal([]byte(`{"retry":{"tries":2},"hedge":"1s"}`), &p); err != nil {
		t.Error(err)
	}
	if p.Limit != time.Second || p.Retry.Tries != 2 || p.Retry.Pause != time.Second || p.Hedge != time.Second || len(p.PerHost) != 1 {
		t.Errorf("%+v", p)
	}
	for text, want := range map[string]string{
		`{"limit":"-1s"}`: "Limit is below zero: -1s", `{"hedge":"-1s"}`: "Hedge is below zero", `{"hedges":-1}`: "Hedges is below zero: -1",
		`{"retry":{"pause":"x"}}`: "retry.pause", `{"retry":{"jitter":7}}`: "retry", `{"perHost":[]}`: "perHost",
	} {
		if err := json.Unmarshal([]byte(text), &p); err == nil || !strings.Contains(err.Error(), want) || p.Retry.Tries != 2 || p.Hedge != time.Second {
			t.Errorf("%s: %v, %+v", text, err, p)
		}
	}
	for _, p := range []httpx.Policy{{Limit: -1}, {Hedge: -1}, {Hedges: -1}} {
		if httpx.NewTransport(nil, p).Err() == nil {
			t.Errorf("%+v is well formed", p)
		}
	}
}
