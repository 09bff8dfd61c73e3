package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

func ok(took time.Duration) outcome {
	return outcome{
		exchange: exchange{Request: "GET /", Status: 200, Answer: []byte(`{"a": 1}`)},
		status:   200, body: []byte(`{"a":1}`), took: took,
	}
}

func TestExpectedMeansAll(t *testing.T) {
	wrong, unanswered := ok(0), ok(0)
	wrong.body = []byte(`{"a":2}`)
	unanswered.status, unanswered.err = 0, errors.New("no answer")
	for _, tt := range []struct {
		reason   string
		outcomes []outcome
		want     bool
	}{
		{"all", []outcome{ok(0), ok(0)}, true},
		{"one was never sent", []outcome{ok(0)}, false},
		{"one differs", []outcome{ok(0), wrong}, false},
		{"one got no answer", []outcome{ok(0), unanswered}, false},
		{"one got none, another was sent twice", []outcome{ok(0), ok(0), unanswered}, false},
	} {
		r := newReport(2)
		for _, o := range tt.outcomes {
			r.add(o)
		}
		if r.expected() != tt.want {
			t.Errorf("%s: got %v", tt.reason, !tt.want)
		}
	}
}

func TestLatency(t *testing.T) {
	r := newReport(0)
	if got := r.latency(50); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
	for i := range 200 {
		r.add(ok(time.Duration(200 - i)))
	}
	for percent, want := range map[int]time.Duration{1: 2, 50: 100, 99: 198, 100: 200} {
		if got := r.latency(percent); got != want {
			t.Errorf("p%d: %d, want %d", percent, got, want)
		}
	}
}

func TestProgress(t *testing.T) {
	say := func(p *progress) {
		r := newReport(100)
		for range 100 {
			r.add(ok(0))
			p.show(r)
		}
		p.end()
	}
	t.Run("one line on a terminal", func(t *testing.T) {
		var out bytes.Buffer
		say(&progress{out: &out, terminal: true})
		if s := out.String(); strings.Count(s, "\r\x1b[K") != 100 || strings.Count(s, "\n") != 1 || !strings.HasSuffix(s, "\n") {
			t.Errorf("said %q", s)
		}
	})
	t.Run("few lines elsewhere", func(t *testing.T) {
		var out bytes.Buffer
		say(newProgress(&out))
		if s := out.String(); strings.Count(s, "\n") != 10 || strings.ContainsAny(s, "\r\x1b") {
			t.Errorf("said %q", s)
		}
	})
}
