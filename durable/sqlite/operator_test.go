package sqlite_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var asks = durable.New("asks", flow.Then(durable.Signal[int]("n"), step.Map(func(n int) int { return n + 1 })), durable.SearchAttribute("Stage"))

func selectIDs(t *testing.T, o *sqlite.Operator, q sqlite.Query) string {
	t.Helper()
	var all []string
	for info, err := range o.Runs(t.Context(), q) {
		if err != nil {
			t.Error(err)
		}
		all = append(all, info.ID)
	}
	return strings.Join(all, " ")
}

func TestRunsAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{Idle: time.Minute}, asks, orders)
		start := func(id string) {
			if _, err := asks.Start(t.Context(), f.Engine(), id, struct{}{}); err != nil {
				t.Fatal(err)
			}
		}
		start("old")
		time.Sleep(time.Hour)
		start("cancelled")
		start("ended")
		start("new")
		if _, err := orders.Start(t.Context(), f.Engine(), "order", order{}); err != nil {
			t.Fatal(err)
		}
		o := f.Operator()
		if err := errors.Join(o.Cancel(t.Context(), "cancelled"), o.Signal(t.Context(), "ended", "n", json.RawMessage("41"))); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if out, err := asks.Attach(f.Engine(), "ended").Wait(t.Context()); out != 42 || err != nil {
			t.Errorf("got %d, %v", out, err)
		}
		queries := map[string]sqlite.Query{
			"order new ended cancelled old": {},
			"order new":                     {Last: 2},
			"new ended cancelled old":       {Workflow: "asks"},
			"order new old":                 {State: sqlite.Lives},
			"ended":                         {State: sqlite.Succeeded},
			"cancelled":                     {State: sqlite.Cancelled},
			"new old":                       {Attribute: "n"},
			"old":                           {Older: time.Minute, State: sqlite.Lives},
			"order old":                     {Contains: "o", State: sqlite.Lives},
		}
		for want, q := range queries {
			if got := selectIDs(t, o, q); got != want {
				t.Errorf("%+v: got %q, want %q", q, got, want)
			}
		}
		if info, err := o.Run(t.Context(), "old"); !info.Asleep || info.State != sqlite.Lives || info.Attribute != "n" || err != nil {
			t.Errorf("got %+v, %v", info, err)
		}
		if _, err := o.Run(t.Context(), "none"); !errors.Is(err, durable.ErrNoRun) {
			t.Errorf("got %v", err)
		}
		closeFile(t, f)
		o = operate(t, path)
		if got := selectIDs(t, o, sqlite.Query{Workflow: "orders"}); got != "order" {
			t.Errorf("got %q", got)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Runs that stand still, have left memory or have ended are counted. A run that has failed says why.
func TestCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		odd := durable.New("odd", step.Await(func(_ context.Context, n int) (panickingValue, error) {
			if n%2 == 0 {
				return panickingValue{Reads: true}, nil // the run stands still
			}
			return panickingValue{}, fault.New("NoCard", fmt.Sprintf("no card %d", n))
		}))
		var told reports
		f := openFile(t, path, sqlite.Options{Idle: time.Minute, OnError: told.add}, asks, odd)
		o := f.Operator()
		want := map[sqlite.State]int{sqlite.Lives: 0, sqlite.StandsStill: 0, sqlite.Succeeded: 0, sqlite.Failed: 0, sqlite.Cancelled: 0}
		check := func() {
			t.Helper()
			if got, err := o.Counts(t.Context()); !maps.Equal(got, want) || err != nil {
				t.Errorf("got %v, %v, want %v", got, err, want)
			}
		}
		check()
		for _, id := range []string{"a", "b", "c", "d", "e", "f", "g"} {
			if _, err := asks.Start(t.Context(), f.Engine(), id, struct{}{}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		want[sqlite.Lives] = 7
		check()
		for n, id := range []string{"even", "odd", "even2", "odd2", "odd3"} {
			if _, err := odd.Start(t.Context(), f.Engine(), id, n); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(o.Cancel(t.Context(), "a"), o.Signal(t.Context(), "b", "n", json.RawMessage("1")), o.Signal(t.Context(), "c", "n", json.RawMessage("1")),
			o.Signal(t.Context(), "d", "n", json.RawMessage("1")), o.Signal(t.Context(), "e", "n", json.RawMessage("1"))); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		want = map[sqlite.State]int{sqlite.Lives: 2, sqlite.StandsStill: 3, sqlite.Succeeded: 4, sqlite.Failed: 2, sqlite.Cancelled: 1}
		check()
		for info, err := range o.Runs(t.Context(), sqlite.Query{}) {
			why := map[string]string{"odd": "NoCard: no card 1", "odd2": "NoCard: no card 3"}[info.ID]
			if err != nil || info.State != sqlite.StandsStill && !strings.HasPrefix(info.Why, why) || (info.Why == "") != (info.State == sqlite.Lives || info.State == sqlite.Succeeded || info.State == sqlite.Cancelled) {
				t.Errorf("got %+v, %v", info, err)
			}
		}
		closeFile(t, f)
	})
}

func TestCountsUsesIndexes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	closeFile(t, openFile(t, path, sqlite.Options{}, asks))
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+sqlite.CountsQuery)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	uses := 0
	for rows.Next() {
		var id, parent, unused int
		var what string
		if err = rows.Scan(&id, &parent, &unused, &what); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(what, "durable_runs") {
			uses++
			if !strings.Contains(what, "USING COVERING INDEX") && !strings.Contains(what, "USING INDEX durable_awake") {
				t.Error(what)
			}
		}
	}
	if err = rows.Err(); err != nil || uses != 4 {
		t.Errorf("%d uses of the table, %v", uses, err)
	}
}

func operate(t *testing.T, path string) *sqlite.Operator {
	t.Helper()
	o, err := sqlite.Operate(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// The program that has the file does what another program asks for. If there is none, the Operator does it.
func TestRequests(t *testing.T) {
	for _, runs := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "app.db")
		synctest.Test(t, func(t *testing.T) {
			f := openFile(t, path, sqlite.Options{}, asks)
			for _, id := range []string{"a", "b", "c"} {
				if _, err := asks.Start(t.Context(), f.Engine(), id, struct{}{}); err != nil {
					t.Fatal(err)
				}
			}
			closeFile(t, f)
			open := func() *sqlite.File {
				f, err := sqlite.Open(t.Context(), path, sqlite.Options{OnError: func(err error) { t.Error(err) }}, asks)
				if err != nil {
					t.Fatal(err)
				}
				return f
			}
			if runs {
				f = open()
			}
			o := operate(t, path)
			if err := errors.Join(o.Signal(t.Context(), "a", "n", json.RawMessage("1")), o.Cancel(t.Context(), "b"), o.Retry(t.Context(), "c")); err != nil {
				t.Error(err)
			}
			for what, err := range map[string]error{
				"a signal": o.Signal(t.Context(), "none", "n", json.RawMessage("1")), "a cancel": o.Cancel(t.Context(), "none"), "a retry": o.Retry(t.Context(), "none"),
			} {
				if !errors.Is(err, durable.ErrNoRun) {
					t.Errorf("%s of no run: %v", what, err)
				}
			}
			if err := o.Signal(t.Context(), "a", "n", json.RawMessage("{")); err == nil {
				t.Error("a signal that is no JSON was sent")
			}
			if err := o.Signal(t.Context(), "a", "n", json.RawMessage(`"`+strings.Repeat("x", 3<<20)+`"`)); !errors.Is(err, durable.ErrUnstorable) {
				t.Errorf("a large signal: %v", err)
			}
			if !runs {
				f = open()
			}
			if out, err := asks.Attach(f.Engine(), "a").Wait(t.Context()); out != 2 || err != nil {
				t.Errorf("got %d, %v", out, err)
			}
			if _, err := asks.Attach(f.Engine(), "b").Wait(t.Context()); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if err := o.Cancel(t.Context(), "b"); err != nil {
				t.Errorf("the cancel of a run that has ended: %v", err)
			}
			if err := o.Close(); err != nil {
				t.Error(err)
			}
			closeFile(t, f)
		})
	}
}

// The program that has the file ends without an answer, and nobody opens the file again.
func TestRequestThatNobodyAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{}, asks)
		if _, err := asks.Start(t.Context(), f.Engine(), "a", struct{}{}); err != nil {
			t.Fatal(err)
		}
		o := operate(t, path)
		sent := make(chan error)
		go func() { sent <- o.Signal(t.Context(), "a", "n", json.RawMessage("1")) }()
		synctest.Wait()
		closeFile(t, f)
		if err := errors.Join(<-sent, o.Close()); err != nil {
			t.Error(err)
		}
		f = openFile(t, path, sqlite.Options{}, asks)
		if out, err := asks.Attach(f.Engine(), "a").Wait(t.Context()); out != 2 || err != nil {
			t.Errorf("got %d, %v", out, err)
		}
		closeFile(t, f)
	})
}

// A body that is still being called isn't called a second time.
func TestRetry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		ends := make(chan struct{})
		calls := 0
		slow := step.Await(func(context.Context, int) (int, error) {
			calls++
			<-ends // the body ignores its context
			return 7, nil
		})
		both := flow.Then(flow.Par2(slow, step.Await(func(_ context.Context, n int) (panickingValue, error) { return panickingValue{Reads: true}, nil })),
			step.Map(func(p flow.Pair[int, panickingValue]) int { return p.A }))
		w := durable.New("both", both)
		var told reports
		f := openFile(t, path, sqlite.Options{OnError: told.add}, w)
		if _, err := w.Start(t.Context(), f.Engine(), "a", 1); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		o := f.Operator()
		if info, err := o.Run(t.Context(), "a"); info.State != sqlite.StandsStill || !strings.Contains(info.Why, "no reading") || err != nil {
			t.Errorf("got %+v, %v", info, err)
		}
		readable = true
		defer func() { readable = false }()
		if err := o.Retry(t.Context(), "a"); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if info, err := o.Run(t.Context(), "a"); info.State != sqlite.Lives || info.Why != "" || err != nil {
			t.Errorf("got %+v, %v", info, err)
		}
		close(ends)
		if out, err := w.Attach(f.Engine(), "a").Wait(t.Context()); out != 7 || err != nil || calls != 1 {
			t.Errorf("got %d, %v, after %d calls", out, err, calls)
		}
		closeFile(t, f)
	})
}

func TestReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	f := openFile(t, path, sqlite.Options{}, orders)
	run, err := orders.Start(t.Context(), f.Engine(), "a", order{Item: "cup"})
	if err == nil {
		err = durable.Send(t.Context(), run, "approval", approval{"Ann"})
	}
	if err == nil {
		_, err = run.Wait(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	h, err := f.Operator().History(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	closeFile(t, f)
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var stored sqlite.History
	if err = json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	if err = sqlite.Replay(orders, stored); err != nil {
		t.Error(err)
	}
	changed := durable.New("orders", flow.Then(flow.Named("more", reserve), step.Map(func(o order) string { return o.Item })))
	if err = sqlite.Replay(changed, stored); err == nil {
		t.Error("a changed plan was accepted")
	}
	other := durable.New("orders", flow.Then(reserve, flow.Then(flow.Carry(approved), step.Map(func(p flow.Pair[order, string]) string {
		return "nothing"
	}))))
	if err = sqlite.Replay(other, stored); err == nil || !strings.Contains(err.Error(), "has ended there with") {
		t.Errorf("another result: %v", err)
	}
	stored.Events = stored.Events[1:]
	if err = sqlite.Replay(orders, stored); err == nil || !strings.Contains(err.Error(), "doesn't begin with a start") {
		t.Errorf("no start: %v", err)
	}
}

// A run that was cancelled when it was about to begin anew is replayed: its machine has come to the end of a round.
func TestReplayOfARunThatDidNotBeginAnew(t *testing.T) {
	w := durable.New("rounds", step.Map(func(n int) durable.Again[int] { return durable.Again[int]{In: n + 1, More: true} }))
	f := openFile(t, filepath.Join(t.TempDir(), "app.db"), sqlite.Options{}, w)
	run, err := w.Start(t.Context(), f.Engine(), "a", 0)
	if err == nil {
		err = run.Cancel(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err = run.Wait(t.Context()); !errors.Is(err, fault.Cancelled) {
		t.Fatal(err)
	}
	h, err := f.Operator().History(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if err = sqlite.Replay(w, h); err != nil {
		t.Errorf("%v of %+v", err, h.Events)
	}
	h.Events[len(h.Events)-1].Data = []byte(`{"code":"Broken","text":"Broken"}`)
	if err = sqlite.Replay(w, h); err == nil || !strings.Contains(err.Error(), "begins anew now") {
		t.Errorf("another end: %v", err)
	}
}

// A run whose next input can't be stored has failed with that, and does so when it is replayed.
func TestReplayOfAnInputThatCannotBeStored(t *testing.T) {
	w := durable.New("rounds", step.Map(func(n float64) durable.Again[float64] { return durable.Again[float64]{In: math.Inf(1) * n, More: true} }))
	f := openFile(t, filepath.Join(t.TempDir(), "app.db"), sqlite.Options{}, w)
	run, err := w.Start(t.Context(), f.Engine(), "a", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = run.Wait(t.Context()); !errors.Is(err, durable.ErrUnstorable) {
		t.Fatal(err)
	}
	h, err := f.Operator().History(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if err = sqlite.Replay(w, h); err != nil {
		t.Errorf("%v of %+v", err, h.Events)
	}
}
