package sqlite_test

import (
	"math"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The event after which a run calls another one, and a sweep that finds the event old, come to the run at once. The run doesn't leave
// memory before it has started the other one: nothing would wake it.
func TestSweepAfterLateEvent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		held := step.Map(func(struct{}) struct{} {
			<-hold //stepvet:ignore what comes meanwhile waits together
			return struct{}{}
		})
		child := flow.Named("child", flow.Call(step.Map(func(n int) int { return n + 1 })))
		w := durable.New("calls", flow.Then(durable.Signal[struct{}]("first"), flow.Then(held, flow.Then(durable.Signal[int]("second"), child))))
		const idle = time.Second
		f := openFile(t, path, sqlite.Options{Idle: idle}, w)
		defer closeFile(t, f)
		run, err := w.Start(t.Context(), f.Engine(), "r", struct{}{})
		if err == nil {
			err = durable.Send(t.Context(), run, "first", struct{}{})
		}
		if err == nil {
			err = durable.Send(t.Context(), run, "second", 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * idle)
		close(hold)
		result := make(chan int, 1)
		go func() {
			out, err := run.Wait(t.Context())
			if err != nil {
				t.Error(err)
			}
			result <- out
		}()
		select {
		case out := <-result:
			if out != 2 {
				t.Errorf("got %d", out)
			}
		case <-time.After(time.Hour):
			t.Fatal("the run isn't woken")
		}
	})
}

// The year in which the delay of a run ends is one that the file can't hold. The run leaves memory for good.
func TestRestForCenturies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		w := durable.New("centuries", step.Delay[int](math.MaxInt64))
		f := openFile(t, path, sqlite.Options{Idle: time.Second}, w)
		defer closeFile(t, f)
		if _, err := w.Start(t.Context(), f.Engine(), "r", 1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := f.InMemory(); n != 0 {
			t.Errorf("%d runs are in memory", n)
		}
	})
}
