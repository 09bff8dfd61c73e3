package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
)

func TestAdviceOfErrors(t *testing.T) {
	enginetest.Advice(t, func(w *durable.Workflow[int, int]) (int, error) {
		f := openFile(t, filepath.Join(t.TempDir(), "app.db"), sqlite.Options{}, w)
		defer closeFile(t, f)
		run, err := w.Start(t.Context(), f.Engine(), "run", 0)
		if err != nil {
			return 0, err
		}
		return run.Wait(t.Context())
	})
}
