package main

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
)

var asks = durable.New("asks", durable.Signal[int]("n"))

// The command is used while the program runs, and when it has ended.
func TestCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	f, err := sqlite.Open(t.Context(), path, sqlite.Options{}, asks)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b", "c"} {
		if _, err = asks.Start(t.Context(), f.Engine(), id, struct{}{}); err != nil {
			t.Fatal(err)
		}
	}
	says := func(want string, args ...string) string {
		t.Helper()
		var out strings.Builder
		if err := command(t.Context(), &out, append([]string{path}, args...)); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q: got\n%s", args, out.String())
		}
		return out.String()
	}
	says("", "signal", "a", "n", "7")
	if out, err := asks.Attach(f.Engine(), "a").Wait(t.Context()); out != 7 || err != nil {
		t.Errorf("got %d, %v", out, err)
	}
	ended := func() {
		t.Helper()
		if err := command(t.Context(), new(strings.Builder), []string{path, "retry", "a"}); !errors.Is(err, sqlite.ErrEnded) || !strings.Contains(err.Error(), `(succeeded): "a"`) {
			t.Errorf("a retry of a run that has ended: %v", err)
		}
	}
	says("", "retry", "b")
	ended()
	if err = f.Close(context.Background()); err != nil {
		t.Error(err)
	}
	ended()
	says("", "cancel", "b")
	says(`"state": "succeeded"`, "show", "a")
	says(`"succeeded": 1`, "counts")
	if text := says("c   asks      lives", "list", "-state", "lives", "-last", "1"); strings.Contains(text, "\na ") {
		t.Errorf("got\n%s", text)
	}
	var h sqlite.History
	if err = json.Unmarshal([]byte(says("started", "history", "a")), &h); err == nil {
		err = sqlite.Replay(asks, h)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestSchedules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	f, err := sqlite.Open(t.Context(), path, sqlite.Options{}, asks)
	if err == nil {
		err = sqlite.Repeat(t.Context(), f, asks, sqlite.Schedule{Name: "yearly", When: "0 0 1 1 *"}, struct{}{})
	}
	if err != nil {
		t.Fatal(err)
	}
	says := func(want string, args ...string) {
		t.Helper()
		var out strings.Builder
		if err := command(t.Context(), &out, append([]string{path}, args...)); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%q: got %v\n%s", args, err, out.String())
		}
	}
	says(`"when": "0 0 1 1 *"`, "schedules")
	none := func() {
		t.Helper()
		if err := command(t.Context(), new(strings.Builder), []string{path, "pause", "none"}); !errors.Is(err, sqlite.ErrNoSchedule) {
			t.Errorf("got %v", err)
		}
	}
	none()
	says("", "pause", "yearly")
	says(`"paused": true`, "schedules")
	if err = f.Close(context.Background()); err != nil {
		t.Error(err)
	}
	says("", "resume", "yearly")
	says(`"next": "`, "schedules")
	says("", "remove", "yearly")
	says("[]", "schedules")
	none()
}

func TestErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	if err := command(t.Context(), new(strings.Builder), []string{path, "list"}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a file that isn't there: %v", err)
	}
	f, err := sqlite.Open(t.Context(), path, sqlite.Options{}, asks)
	if err == nil {
		err = f.Close(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"":                 "usage",
		"tell a":           "usage",
		"show":             "usage",
		"signal a n":       "usage",
		"list -colour red": "flag provided but not defined",
		"show a":           "no run of that id",
		"history a":        "no run of that id",
		"cancel a":         "no run of that id",
		"signal a n {":     "isn't JSON",
	} {
		if err := command(t.Context(), new(strings.Builder), append([]string{path}, strings.Fields(args)...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", args, err)
		}
	}
}
