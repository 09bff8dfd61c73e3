package laws_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// FuzzPrograms checks law 39 with programs and schedules found by coverage.
func FuzzPrograms(f *testing.F) {
	for i := range 16 {
		seed := make([]byte, 8<<10)
		r := rand.NewChaCha8([32]byte{byte(i)})
		_, _ = r.Read(seed) // never fails
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		var v verdicts
		v.judge(t, programs(shape{}).Draw(t, "program"))
	}))
}
