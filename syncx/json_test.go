package syncx_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/config"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestPoliciesJSON(t *testing.T) {
	check := func(name, want string, policy json.Marshaler, read interface {
		json.Marshaler
		json.Unmarshaler
	}) {
		text, err := policy.MarshalJSON()
		if string(text) != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", name, text, err, want)
		}
		if err := json.Unmarshal(text, read); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if again, err := json.Marshal(read); string(again) != want || err != nil {
			t.Errorf("%s, read and written again: %s, %v", name, again, err)
		}
	}
	check("breaker", `{"name":"a","last":0,"window":"10s","failures":7,"rate":0.5,"minSections":20,"slow":"1.5s","pause":"5s","probes":3}`,
		syncx.BreakerPolicy{Name: "a", Window: 10 * time.Second, Failures: 7, Rate: 0.5, MinSections: 20, Slow: 1500 * ms, Pause: 5 * time.Second, Probes: 3, Failure: func(error) bool { return true }},
		&syncx.BreakerPolicy{})
	check("adaptive", `{"name":"a","min":2,"max":100,"start":10,"maxQueue":-1,"window":"1s","minSections":5,"tolerance":2}`,
		syncx.AdaptivePolicy{Name: "a", Min: 2, Max: 100, Start: 10, MaxQueue: -1, Window: time.Second, MinSections: 5, Tolerance: 2},
		&syncx.AdaptivePolicy{})
	check("limits", `{"concurrent":10,"maxQueue":100,"rate":50,"period":"1s","burst":7}`,
		syncx.Limits{Concurrent: 10, MaxQueue: 100, Rate: 50, Period: time.Second, Burst: 7}, &syncx.Limits{})
}

func TestPoliciesJSONOverDefaults(t *testing.T) {
	p := syncx.BreakerPolicy{Name: "payments", Failures: 3, Pause: time.Second, Failure: func(error) bool { return true }}
	if err := json.Unmarshal([]byte(`{"pause":"2s"}`), &p); err != nil || p.Name != "payments" || p.Failures != 3 || p.Pause != 2*time.Second || p.Failure == nil {
		t.Errorf("%+v, %v", p, err)
	}
	l := syncx.Limits{Concurrent: 5}
	if err := json.Unmarshal([]byte(`{"rate":3}`), &l); err != nil || l.Concurrent != 5 || l.Rate != 3 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestPoliciesJSONErrors(t *testing.T) {
	type service struct {
		Breaker  syncx.BreakerPolicy  `json:"breaker"`
		Adaptive syncx.AdaptivePolicy `json:"adaptive"`
		Limits   syncx.Limits         `json:"limits"`
	}
	for text, want := range map[string]string{
		`{"breaker":{"rate":2}}`:                   "breaker: breaker: Rate must be from 0 to 1, got 2",
		`{"breaker":{"pause":"soon"}}`:             "breaker.pause",
		`{"breaker":{"last":3}}`:                   "Last is 3, fewer than Failures",
		`{"breaker":{"onChange":1}}`:               "onChange",
		`{"adaptive":{"min":300}}`:                 "",
		`{"adaptive":{"min":3,"max":2}}`:           "Min is 3, above Max, 2",
		`{"adaptive":{"tolerance":0.5}}`:           "Tolerance must be a number from 1, got 0.5",
		`{"adaptive":{"window":1000}}`:             "adaptive.window",
		`{"limits":{"rate":-1}}`:                   "rate: the maximum must be at least 1, got -1",
		`{"limits":{"concurrent":"many"}}`:         "limits.concurrent",
		`{"limits":{"concurrent":1,"period":"1"}}`: "limits.period",
	} {
		var s service
		err := config.Read([]byte(text), &s)
		if want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", text, err, want)
		}
		if s.Breaker.Last != 0 || s.Breaker.Rate != 0 || s.Adaptive.Min != 0 || s.Limits != (syncx.Limits{}) {
			t.Errorf("%s has changed a policy: %+v", text, s)
		}
	}
}
