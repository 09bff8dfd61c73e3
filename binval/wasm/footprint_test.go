package wasm

import (
	"context"
	"runtime"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Runs that wait take little memory, that of their guests included, in a second round as well.
func TestFootprint(t *testing.T) {
	const n = 1000
	for _, c := range []struct {
		name, export string
		binary       func(t *testing.T) []byte
		most         int64
	}{
		{"smallest", "run", func(*testing.T) []byte {
			return asm{imports: []string{"futoin.setTimeout/2"}}.step(as, number(1000), invoke("setTimeout"))
		}, 100 << 20 / 10_000},
		{"C", "waits", func(t *testing.T) []byte { return guestC(t, "testdata/steps.c") }, 125 << 20 / 10_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := loaded(t, c.binary(t), Limits{WASI: Basic()})
			s := Step[struct{}, int32](m, c.export)
			for range 2 {
				loop := tooltest.New()
				runs := make([]*flow.Running[int32], n)
				before := heap()
				for k := range runs {
					runs[k] = flow.Start(context.Background(), loop, s, struct{}{})
				}
				loop.Advance(1)
				host, guest := (heap()-before)/n, written(t, m)/n
				if host+guest > c.most {
					t.Errorf("%d bytes for each run and %d of its guest, want %d at most", host, guest, c.most)
				}
				t.Logf("%d bytes for each run and %d of its guest", host, guest)
				loop.Run()
				for _, r := range runs {
					if out, err := r.Result(); out != 7 && fault.CodeOf(err) != fault.Timeout {
						t.Fatal("it hasn't waited: ", err)
					}
				}
			}
		})
	}
}

// heap returns how much of the heap is in use. What only pools or weak pointers refer to is gone after two collections.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
