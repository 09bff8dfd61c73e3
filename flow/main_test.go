package flow_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/seedtest"
)

func TestMain(m *testing.M) {
	seedtest.Fix()
	leaktest.Main(m)
}
