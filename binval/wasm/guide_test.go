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

// The program of docs/guide/wasm.md gives what it should, and the page has its source.
func TestGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/wasm.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("testdata/halve.c")
	if err != nil || !strings.Contains(string(page), "```cpp\n"+string(source)+"```\n") {
		t.Error("the page has another source: ", err)
	}
	if n, err := run(t.Context(), wasm.GuestC(t, "testdata/halve.c")); n != 21 || err != nil {
		t.Error(n, err)
	}
}
