package debug

import (
	"encoding/json"
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		d          time.Duration
		text, json string
	}{
		{0, "0s", "0"},
		{7, "10ns", "0.000000007"},
		{1234567, "1.23ms", "0.001234567"},
		{123456 * time.Microsecond, "123.46ms", "0.123456"},
		{1500 * time.Millisecond, "1.5s", "1.5"},
		{99_994 * time.Millisecond, "1m39.99s", "99.994"},
		{2*time.Hour + 400*time.Millisecond, "2h0m0s", "7200.4"},
	} {
		text, err := json.Marshal(span(c.d))
		if err != nil || string(text) != c.json || span(c.d).String() != c.text {
			t.Errorf("%d: %s, want %s; as JSON %s, want %s", c.d, span(c.d), c.text, text, c.json)
		}
	}
}

func TestComparePaths(t *testing.T) {
	inOrder := []string{"0", "0/2", "0/10", "0/par.2", "0/par.2/9", "0/par.10/0", "1", "1/each.0/0", "10"}
	for i, a := range inOrder {
		for j, b := range inOrder {
			if got := comparePaths(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%q and %q: %d", a, b, got)
			}
		}
	}
}
