package storm_test

import (
	"log/slog"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	leaktest.Main(m)
}
