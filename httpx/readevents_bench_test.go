package httpx_test

import (
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/httpx"
)

func BenchmarkReadEvents(b *testing.B) {
	text := strings.Repeat("data: {\"choices\":[{\"delta\":{\"content\":\"word \"}}]}\n\n", 100)
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range httpx.ReadEvents(eventful(strings.NewReader(text))) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func TestReadEventsAllocations(t *testing.T) {
	one := testing.AllocsPerRun(10, func() { readSome(t, 1) })
	many := testing.AllocsPerRun(10, func() { readSome(t, 1001) })
	if per := (many - one) / 1000; per > 1.1 {
		t.Errorf("%.2f allocations for an event", per)
	}
}

func readSome(t *testing.T, n int) {
	t.Helper()
	for _, err := range httpx.ReadEvents(eventful(strings.NewReader(strings.Repeat("data: a word of it\n\n", n)))) {
		if err != nil {
			t.Fatal(err)
		}
	}
}
