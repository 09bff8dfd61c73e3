package cron_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
)

func TestStateAsJSON(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for want, s := range map[string]cron.State{
		`{"name":"sweep","spec":"@daily","rounds":0,"failed":0,"skipped":0}`: {Name: "sweep", Spec: "@daily"},
		`{"name":"","spec":"","next":"2026-01-02T03:04:05Z","rounds":2,"failed":1,"skipped":0,"began":"2026-01-02T03:04:05Z","ended":"2026-01-02T03:04:05Z","error":"no disk"}`: {
			Next: at, Rounds: 2, Failed: 1, Began: at, Ended: at, Err: errors.New("no disk"),
		},
	} {
		if text, err := json.Marshal([]cron.State{s}); err != nil || string(text) != "["+want+"]" {
			t.Errorf("got %s, %v, want %s", text, err, want)
		}
	}
}
