package sqlite_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func logged(fn func()) string {
	var text strings.Builder
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
	defer slog.SetDefault(before)
	fn()
	return text.String()
}

func wantUnheard(t *testing.T, text, signal string) {
	t.Helper()
	if strings.Count(text, "no step has received a signal") != 1 || !strings.HasSuffix(text, signal+"\n") {
		t.Errorf("want one line with %q, logged %q", signal, text)
	}
}

// A signal that no step has received is logged once, and not when the run begins anew.
func TestUnheardSignal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	sum := flow.Then(flow.Carry(flow.Then(step.Map(func(int) struct{} { return struct{}{} }), durable.Signal[int]("n"))),
		step.Map(func(p flow.Pair[int, int]) durable.Again[int] {
			return durable.Again[int]{In: p.A + p.B, More: p.B != 0}
		}))
	w := durable.New("sums", sum)
	text := logged(func() {
		synctest.Test(t, func(t *testing.T) {
			f := openFile(t, path, sqlite.Options{}, w)
			defer closeFile(t, f)
			run, err := w.Start(t.Context(), f.Engine(), "s", 0)
			if err == nil {
				err = f.Operator().Signal(t.Context(), "s", "other", []byte("1"))
			}
			for _, n := range []int{3, 0} {
				if err == nil {
					err = durable.Send(t.Context(), run, "n", n)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if out, err := run.Wait(t.Context()); out.In != 3 || err != nil {
				t.Errorf("got %v, %v", out, err)
			}
		})
	})
	wantUnheard(t, text, "workflow=sums run=s signal=other")
}

// The second signal comes to the run when the plan has already come to its end.
func TestUnheardLateSignal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	text := logged(func() {
		synctest.Test(t, func(t *testing.T) {
			held, hold := make(chan struct{}), make(chan struct{})
			holds := durable.New("holds", sqlite.Transact(func(_ context.Context, _ *sqlite.Tx, in int) (int, error) {
				close(held)
				<-hold // so that both signals are written in the next transaction
				return in, nil
			}))
			hears := durable.New("hears", durable.Signal[int]("n"))
			f := openFile(t, path, sqlite.Options{}, holds, hears)
			defer closeFile(t, f)
			run, err := hears.Start(t.Context(), f.Engine(), "h", struct{}{})
			if err == nil {
				_, err = holds.Start(t.Context(), f.Engine(), "t", 0)
			}
			if err != nil {
				t.Fatal(err)
			}
			<-held
			for range 2 {
				go func() {
					if err := durable.Send(t.Context(), run, "n", 1); err != nil {
						t.Error(err)
					}
				}()
			}
			synctest.Wait()
			close(hold)
			if out, err := run.Wait(t.Context()); out != 1 || err != nil {
				t.Errorf("got %v, %v", out, err)
			}
		})
	})
	wantUnheard(t, text, "workflow=hears run=h signal=n")
}

// An operator sends the signal.
func TestUnheardSignalOfPlanWithoutSignals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	text := logged(func() {
		synctest.Test(t, func(t *testing.T) {
			held, hold, last := make(chan struct{}), make(chan struct{}), make(chan struct{})
			holds := durable.New("holds", sqlite.Transact(func(_ context.Context, _ *sqlite.Tx, in int) (int, error) {
				close(held)
				<-hold // so that the signal and the end are written in the next transaction
				return in, nil
			}))
			deaf := durable.New("deaf", step.Map(func(in int) int {
				<-last //stepvet:ignore the end of the plan comes when the test wants it
				return in
			}))
			f := openFile(t, path, sqlite.Options{}, holds, deaf)
			defer closeFile(t, f)
			run, err := deaf.Start(t.Context(), f.Engine(), "d", 1)
			if err == nil {
				_, err = holds.Start(t.Context(), f.Engine(), "t", 0)
			}
			if err != nil {
				t.Fatal(err)
			}
			<-held
			go func() {
				if err := f.Operator().Signal(t.Context(), "d", "n", []byte("1")); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
			close(last)
			synctest.Wait()
			close(hold)
			if out, err := run.Wait(t.Context()); out != 1 || err != nil {
				t.Errorf("got %v, %v", out, err)
			}
		})
	})
	wantUnheard(t, text, "workflow=deaf run=d signal=n")
}
