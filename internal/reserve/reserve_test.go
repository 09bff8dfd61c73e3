package reserve_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/internal/reserve"
)

// onOneProcessor has the goroutines of the test take turns.
func onOneProcessor(t *testing.T) {
	t.Helper()
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// called has r call a function, and returns the goroutine that has called it.
func called(r *reserve.Reserve) uint64 {
	on := make(chan uint64)
	r.Go(new(reserve.Depth), func() { on <- goid.Number() })
	return <-on
}

// again returns in how many of a hundred pairs of calls both were on the same goroutine. between is called between the two.
func again(r *reserve.Reserve, between func()) (n int) {
	for range 100 {
		first := called(r)
		between()
		if called(r) == first {
			n++
		}
		runtime.Gosched() // both end
		runtime.Gosched()
	}
	return n
}

// A goroutine whose function has returned calls the next one, if that comes soon.
func TestGoroutinesAreUsedAgain(t *testing.T) {
	onOneProcessor(t)
	r := new(reserve.Reserve)
	if n := again(r, func() {}); n < 50 {
		t.Errorf("%d of 100 goroutines were used again", n)
	}
	if n := again(r, func() {
		for range 10 {
			runtime.Gosched()
		}
	}); n != 0 {
		t.Errorf("%d of 100 goroutines have waited for long", n)
	}
}

// After Renew no goroutine is used again that has called a function before it.
func TestRenew(t *testing.T) {
	onOneProcessor(t)
	r := new(reserve.Reserve)
	if n := again(r, r.Renew); n != 0 {
		t.Errorf("%d of 100 goroutines were used again", n)
	}
	if n := again(r, func() {}); n < 50 {
		t.Errorf("after that %d of 100 goroutines were used again", n)
	}
}

func TestGoexit(t *testing.T) {
	r := new(reserve.Reserve)
	var ended sync.WaitGroup
	for range 100 {
		ended.Add(1)
		r.Go(new(reserve.Depth), func() {
			defer ended.Done()
			runtime.Goexit()
		})
	}
	ended.Wait()
	called(r)
}

// Each function is called once, no goroutine calls two at a time, and all goroutines end.
func TestEachOnce(t *testing.T) {
	r := new(reserve.Reserve)
	random := rand.New(rand.NewPCG(1, 2))
	const n = 20_000
	var calls [n]atomic.Int32
	var busy sync.Map
	var running, all sync.WaitGroup
	for i := range n {
		rounds := random.IntN(4)
		running.Add(1)
		all.Add(1)
		r.Go(new(reserve.Depth), func() {
			defer all.Done()
			if _, twice := busy.LoadOrStore(goid.Number(), i); twice {
				t.Errorf("the goroutine of function %d calls another one", i)
			}
			for range rounds {
				runtime.Gosched()
			}
			calls[i].Add(1)
			busy.Delete(goid.Number())
			running.Done()
		})
		switch random.IntN(20) {
		case 0:
			running.Wait()
		case 1:
			r.Renew()
		case 2, 3, 4:
			runtime.Gosched()
		}
	}
	all.Wait()
	for i := range calls {
		if got := calls[i].Load(); got != 1 {
			t.Fatalf("function %d was called %d times", i, got)
		}
	}
}

func TestMain(m *testing.M) { leaktest.Main(m) }

// Calls allocate nothing, whether goroutines are used again or not.
func TestGoAllocatesNothing(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates")
	}
	onOneProcessor(t)
	r, d := new(reserve.Reserve), new(reserve.Depth)
	returned := make(chan struct{})
	fn := func() { returned <- struct{}{} }
	for name, between := range map[string]func(){
		"used again": func() {},
		"ended": func() {
			for range 4 {
				runtime.Gosched()
			}
		},
	} {
		if got := testing.AllocsPerRun(100, func() {
			for range 3 {
				r.Go(d, fn)
			}
			for range 3 {
				<-returned
			}
			between()
		}); got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}
