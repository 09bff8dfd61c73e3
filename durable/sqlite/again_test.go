package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The other signals are committed together with the one after which the run begins anew.
func TestSignalsBehindTheLast(t *testing.T) {
	sum := flow.Then(flow.Carry(flow.Then(step.Map(func(int) struct{} { return struct{}{} }), durable.Signal[int]("n"))),
		step.Map(func(p flow.Pair[int, int]) durable.Again[int] {
			return durable.Again[int]{In: p.A + p.B, More: p.B != 0}
		}))
	w := durable.New("sums", sum)
	for _, replayed := range []bool{false, true} {
		f, err := Open(t.Context(), filepath.Join(t.TempDir(), "app.db"), Options{}, w)
		if err != nil {
			t.Fatal(err)
		}
		s := start{id: "s", own: f.flows["sums"], in: []byte("0")}
		var events []event
		err = f.await(t.Context(), op{
			write: func(c *session) error {
				err := s.write(c)
				for _, n := range []string{"3", "2", "1", "0"} {
					_, e, failed := c.sent("s", signalled, "n", []byte(n))
					err, events = errors.Join(err, failed), append(events, e)
				}
				return err
			},
			written: func() {
				if replayed {
					f.post(s.run, message{})
					return
				}
				f.began(&s)
				for _, e := range events {
					f.post(s.run, message{e: e})
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := w.Attach(f.Engine(), "s").Wait(t.Context()); out.In != 6 || err != nil {
			t.Errorf("replayed: %v: got %v, %v", replayed, out, err)
		}
		if err = f.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// The timer comes to its run together with the signal after which the run begins anew, and fires in vain. The timer of the next
// beginning ends the run.
func TestTimerBehindTheLast(t *testing.T) {
	heard := flow.Then(step.Map(func(int) struct{} { return struct{}{} }), durable.Signal[int]("n"))
	round := flow.Timeout(time.Hour, flow.Then(heard, step.Map(func(n int) durable.Again[int] { return durable.Again[int]{In: n, More: true} })))
	w := durable.New("rounds", round)
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		f, err := Open(t.Context(), path, Options{}, w)
		if err == nil {
			_, err = w.Start(t.Context(), f.Engine(), "r", 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		var n int64
		if err = f.row("SELECT run FROM durable_runs").Scan(&n); err != nil {
			t.Fatal(err)
		}
		var events [2]event
		err = f.await(t.Context(), op{
			write: func(s *session) (err error) {
				if _, events[0], err = s.sent("r", signalled, "n", []byte("2")); err == nil {
					events[1], err = s.append(n, fired, "", nil)
				}
				return err
			},
			written: func() {
				f.post(n, message{do: func(r *run) { r.firing = true }}) // as run.ring does
				for _, e := range events {
					f.post(n, message{e: e})
				}
			},
		})
		if err != nil {
			t.Error(err)
		}
		short, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		if _, err = w.Attach(f.Engine(), "r").Wait(short); !errors.Is(err, fault.Timeout) {
			t.Errorf("got %v", err)
		}
		if err = f.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// An end is written again, because its whole transaction has failed, without the cancel that was in that transaction: the caller of
// Cancel was told that it wasn't written.
func TestEndIsWrittenAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		last := make(chan struct{})
		w := durable.New("twice", step.Map(func(n int) durable.Again[int] {
			if n == 0 {
				<-last //stepvet:ignore the end of the plan comes when the test wants it
			}
			return durable.Again[int]{In: n + 1, More: n == 0}
		}))
		f, err := Open(t.Context(), path, Options{OnError: func(error) {}}, w)
		if err != nil {
			t.Fatal(err)
		}
		run, err := w.Start(t.Context(), f.Engine(), "r", 0)
		if err != nil {
			t.Fatal(err)
		}
		held, hold := make(chan struct{}), make(chan struct{})
		f.writer.put(op{write: func(*session) error {
			close(held)
			<-hold // so that what follows is one transaction
			return nil
		}})
		<-held
		go func() {
			if run.Cancel(t.Context()) == nil {
				t.Error("the cancel was written")
			}
		}()
		synctest.Wait()
		close(last)
		synctest.Wait()
		first := true
		f.writer.put(op{write: func(s *session) error {
			if !first {
				return nil
			}
			first = false
			return cannotWrite(s)
		}})
		close(hold)
		if out, err := run.Wait(t.Context()); out.In != 2 || err != nil {
			t.Errorf("got %v, %v", out, err)
		}
		if err = f.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func cannotWrite(s *session) error {
	_, before := s.c.ExecContext(context.Background(), "PRAGMA query_only = true")
	_, err := s.c.ExecContext(context.Background(), "UPDATE durable_runs SET run = run")
	_, after := s.c.ExecContext(context.Background(), "PRAGMA query_only = false")
	return errors.Join(err, before, after)
}
