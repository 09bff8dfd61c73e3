package wasm

import (
	"context"
	"runtime"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A run that waits keeps less than 10 KB of the host beside the memory of the guest, so that ten thousand of them take less
// than 100 MB.
func TestFootprint(t *testing.T) {
	const n, most = 1000, 10_000
	s := none(loaded(t, asm{imports: []string{"futoin.setTimeout/2"}}.step(as, number(1000), invoke("setTimeout")), Limits{}), "run")
	loop := tooltest.New()
	before := heap()
	runs := make([]*flow.Running[struct{}], n)
	for k := range runs {
		runs[k] = flow.Start(context.Background(), loop, s, struct{}{})
	}
	loop.Advance(1)
	each := (heap() - before) / n
	if each -= page; each > most {
		t.Errorf("%d bytes for each instance, want at most %d", each, most)
	}
	t.Logf("%d bytes for each instance", each)
	loop.Run()
	for _, r := range runs {
		if _, err := r.Result(); err == nil {
			t.Error("it hasn't waited")
		}
	}
}

// heap returns the size of what is in use. What only pools or weak pointers refer to is gone after two collections.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
