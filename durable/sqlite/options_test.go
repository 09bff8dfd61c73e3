package sqlite_test

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func given(flow.Ended[int, int]) int { return 0 }

// Without OnError, what a grace has ended is logged as a warning, and a defect as an error.
func TestOnErrorByDefault(t *testing.T) {
	before := slog.Default()
	defer slog.SetDefault(before)
	for _, tt := range []struct {
		reason  string
		release step.Step[flow.Ended[int, int], int]
		level   string
		text    string
	}{
		{"a grace", flow.Then(step.Map(given), step.Delay[int](time.Hour)), "level=WARN", "did not end within the grace"},
		{"a panic", step.Map(func(flow.Ended[int, int]) int { panic("boom") }), "level=ERROR", "boom"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			var text bytes.Buffer
			slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
			path := filepath.Join(t.TempDir(), "app.db")
			synctest.Test(t, func(t *testing.T) {
				slow := flow.Bracket(step.Map(func(n int) int { return n }), step.Delay[int](time.Hour), tt.release)
				w := durable.New("race", flow.Race(step.Delay[int](time.Minute), slow), durable.Grace(time.Second))
				f, err := sqlite.Open(t.Context(), path, sqlite.Options{}.Deaf(), w)
				if err != nil {
					t.Fatal(err)
				}
				run, err := w.Start(t.Context(), f.Engine(), "a", 1)
				if err == nil {
					_, err = run.Wait(t.Context())
				}
				if err != nil {
					t.Error(err)
				}
				closeFile(t, f)
			})
			if got := text.String(); strings.Count(got, "level=") != 1 || !strings.Contains(got, tt.level) || !strings.Contains(got, tt.text) {
				t.Errorf("logged: %s", got)
			}
		})
	}
}
