package storm_test

import (
	"log/slog"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // stream.All has a loop of its own, which logs what bodies break
	leaktest.Main(m)
}
