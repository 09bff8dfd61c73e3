package sqlx_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
