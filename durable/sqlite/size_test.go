package sqlite_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

var (
	sleepers = flag.Int("sleepers", 2_000, "how many runs sleep in TestSleepers")
	events   = flag.Int("events", 2_000, "how many events the history of TestLongHistory has")
	judge    = flag.Bool("judge", false, "fail if TestSleepers and TestLongHistory take too long: for a machine that does nothing else")
)

// wantShort fails the test if d is more than most and times are judged.
func wantShort(t *testing.T, what string, d, most time.Duration) {
	t.Helper()
	t.Logf("%s: %v", what, d)
	if *judge && d > most {
		t.Errorf("%s took %v, more than %v", what, d, most)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Sleeping runs take up to 1 KiB of disk each, and little memory. With -judge, a program with many of them starts quickly, and most runs
// hear their signals quickly.
func TestSleepers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	waits := durable.New("waits", durable.Signal[int]("go"))
	before := heap()
	f := openFile(t, path, sqlite.Options{}, waits)
	var all sync.WaitGroup
	const starters = 64
	for i := range starters {
		all.Go(func() {
			for n := i; n < *sleepers; n += starters {
				if _, err := waits.Start(t.Context(), f.Engine(), fmt.Sprintf("customer-%08d", n), struct{}{}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	f.Asleep(t)
	used := int64(heap()) - int64(before)
	closeFile(t, f)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	each := info.Size() / int64(*sleepers)
	t.Logf("%d runs: %d bytes of disk each, %d bytes of memory in all", *sleepers, each, used)
	if each > 1024 || used > 100<<20 {
		t.Error("that is too much")
	}

	began := time.Now()
	f = openFile(t, path, sqlite.Options{}, waits)
	if _, err = waits.Start(t.Context(), f.Engine(), "new", struct{}{}); err != nil {
		t.Fatal(err)
	}
	for place := ""; place == ""; {
		if place, err = waits.Attach(f.Engine(), "new").Place(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	wantShort(t, "the start up to the first step", time.Since(began), 2*time.Second)

	random := rand.New(rand.NewPCG(1, 2))
	took := make([]time.Duration, 0, 200)
	for _, n := range random.Perm(*sleepers)[:min(200, *sleepers)] {
		run := waits.Attach(f.Engine(), fmt.Sprintf("customer-%08d", n))
		began = time.Now()
		if err = durable.Send(t.Context(), run, "go", n); err != nil {
			t.Fatal(err)
		}
		out, err := run.Wait(t.Context())
		if took = append(took, time.Since(began)); out != n || err != nil {
			t.Errorf("got %d, %v, want %d", out, err, n)
		}
	}
	slices.Sort(took)
	wantShort(t, "a signal up to the end of its run, 99 of 100", took[len(took)*99/100], 5*time.Millisecond)
	closeFile(t, f)
}

var heard = flow.Then(flow.Carry(flow.Then(step.Map(func(int) struct{} { return struct{}{} }), durable.Signal[int]("n"))),
	step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))

func TestLongHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	round := step.New(func(as step.Scope, sum int) step.Next[int] {
		if sum >= *events {
			return loopx.Break[int]()
		}
		return step.Into(as, heard, sum)
	})
	w := durable.New("sums", loopx.Loop(round), durable.Also("heard", heard))
	f := openFile(t, path, sqlite.Options{Relaxed: true}, w)
	run, err := w.Start(t.Context(), f.Engine(), "s", 0)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 64 { // some signals are missing, and the run waits for them
		all.Go(func() {
			for range (*events - 1) / 64 {
				if err := durable.Send(t.Context(), run, "n", 1); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	sent := (*events - 1) / 64 * 64
	f.Asleep(t)
	began := time.Now()
	if _, err = run.Place(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantShort(t, fmt.Sprintf("the replay of %d events", sent+1), time.Since(began), time.Second)
	for range *events - sent {
		if err = durable.Send(t.Context(), run, "n", 1); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := run.Wait(t.Context()); out != *events || err != nil {
		t.Errorf("got %d, %v, want %d", out, err, *events)
	}
	closeFile(t, f)
}
