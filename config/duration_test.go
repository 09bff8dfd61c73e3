package config_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/config"
)

func TestDuration(t *testing.T) {
	type settings struct {
		Limits map[string]config.Duration `json:"limits"`
		Pause  config.Duration            `json:"pause"`
	}
	s := settings{Pause: config.Duration(time.Hour)}
	if err := json.Unmarshal([]byte(`{"limits":{"find":"1.5s"},"pause":null}`), &s); err != nil || time.Duration(s.Limits["find"]) != 1500*time.Millisecond || time.Duration(s.Pause) != time.Hour {
		t.Error(s, err)
	}
	if text, err := json.Marshal(s); string(text) != `{"limits":{"find":"1.5s"},"pause":"1h0m0s"}` || err != nil {
		t.Error(string(text), err)
	}
	for _, bad := range []string{`5`, `"5"`, `"five"`, `{}`, `true`} {
		err := json.Unmarshal([]byte(`{"pause":`+bad+`}`), &s)
		if err == nil || !strings.Contains(err.Error(), bad+" is no duration") || time.Duration(s.Pause) != time.Hour {
			t.Errorf("%s: %v, %v", bad, err, s)
		}
	}
	var d config.Duration
	if err := d.UnmarshalText([]byte("1m")); err != nil || d.String() != "1m0s" {
		t.Error(d, err)
	}
	if err := d.UnmarshalText([]byte("1")); err == nil || d.String() != "1m0s" {
		t.Error(d, err)
	}
}
