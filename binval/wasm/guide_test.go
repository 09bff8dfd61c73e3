package wasm_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/binval/wasm"
	"github.com/futoin-go/asyncsteps/flow"
)

func run(ctx context.Context, binary []byte) (int32, error) {
	m, err := wasm.Load(ctx, binary, wasm.Limits{WASI: wasm.Basic()})
	if err != nil {
		return 0, err
	}
	defer m.Close()

	halve := wasm.Step[int32, int32](m, "halve")
	return flow.Run(ctx, flow.Then(halve, halve), 84)
}

// The programs of docs/guide/wasm.md work, and the page has their sources.
func TestGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/wasm.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		language, source string
		compile          func(t testing.TB, source string) []byte
	}{
		{"cpp", "testdata/halve.c", func(t testing.TB, source string) []byte { return wasm.GuestC(t, source) }},
		{"go", "testdata/halve/main.go", func(t testing.TB, _ string) []byte { return wasm.GuestGo(t, "./testdata/halve") }},
		{"ts", "testdata/assemblyscript/halve.ts", wasm.GuestAS},
	} {
		t.Run(c.language, func(t *testing.T) {
			source, err := os.ReadFile(c.source)
			if err != nil || !strings.Contains(string(page), "```"+c.language+"\n"+string(source)+"```\n") {
				t.Error("the page has another source: ", err)
			}
			if n, err := run(t.Context(), c.compile(t, c.source)); n != 21 || err != nil {
				t.Error(n, err)
			}
		})
	}
}
