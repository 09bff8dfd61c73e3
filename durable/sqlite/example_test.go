package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// greet waits for a name, which a signal brings.
var greet = durable.New("greet", flow.Then(durable.Signal[string]("name"),
	step.Map(func(name string) string { return "Hello " + name })))

func ExampleOpen() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "greet")
	if err != nil {
		log.Panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "app.db")

	file, err := sqlite.Open(ctx, path, sqlite.Options{}, greet)
	if err != nil {
		log.Panic(err)
	}
	_, err = greet.Start(ctx, file.Engine(), "visitor-1", struct{}{})
	fmt.Println(err, file.Close(ctx))

	file, err = sqlite.Open(ctx, path, sqlite.Options{}, greet)
	if err != nil {
		log.Panic(err)
	}
	visitor := greet.Attach(file.Engine(), "visitor-1")
	fmt.Println(durable.Send(ctx, visitor, "name", "Ann"))
	fmt.Println(visitor.Wait(ctx))
	fmt.Println(file.Close(ctx))
	// Output:
	// <nil> <nil>
	// <nil>
	// Hello Ann <nil>
	// <nil>
}

func ExampleFile_Engine() {
	ctx := context.Background()
	file, remove := temporary(greet)
	defer remove()
	run, err := greet.Start(ctx, file.Engine(), "visitor-1", struct{}{})
	if err == nil {
		err = run.Cancel(ctx)
	}
	fmt.Println(err)
	_, err = run.Wait(ctx)
	fmt.Println(errors.Is(err, fault.Cancelled))
	// Output:
	// <nil>
	// true
}

// The payment and the end of its step are one transaction.
func ExampleTransact() {
	ctx := context.Background()
	pay := sqlite.Transact(func(ctx context.Context, tx *sqlite.Tx, cents int) (string, error) {
		if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS payments (key TEXT, cents INTEGER)"); err != nil {
			return "", err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO payments VALUES (?, ?)", durable.Key(ctx), cents)
		return fmt.Sprintf("paid %d", cents), err
	})
	payments := durable.New("payments", pay)
	file, remove := temporary(payments)
	defer remove()
	run, err := payments.Start(ctx, file.Engine(), "payment-17", 500)
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(run.Wait(ctx))
	// Output: paid 500 <nil>
}

// If the body returned an error, its statements would be rolled back.
func ExampleTx() {
	ctx := context.Background()
	count := sqlite.Transact(func(ctx context.Context, tx *sqlite.Tx, _ struct{}) (n int, err error) {
		if _, err = tx.ExecContext(ctx, "CREATE TABLE hits AS SELECT 1 AS n UNION SELECT 2"); err == nil {
			err = tx.QueryRowContext(ctx, "SELECT count(*) FROM hits").Scan(&n)
		}
		return n, err
	})
	hits := durable.New("hits", count)
	file, remove := temporary(hits)
	defer remove()
	run, err := hits.Start(ctx, file.Engine(), "once", struct{}{})
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(run.Wait(ctx))
	// Output: 2 <nil>
}

func ExampleFile_Backup() {
	ctx := context.Background()
	file, remove := temporary(greet)
	defer remove()
	if _, err := greet.Start(ctx, file.Engine(), "visitor-1", struct{}{}); err != nil {
		log.Panic(err)
	}
	folder, err := os.MkdirTemp("", "backup")
	if err != nil {
		log.Panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	copied := filepath.Join(folder, "monday.db")
	fmt.Println(file.Backup(ctx, copied))

	db, err := sql.Open("sqlite", copied) // the driver of package sqlite
	if err != nil {
		log.Panic(err)
	}
	var runs int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM durable_runs").Scan(&runs)
	fmt.Println(runs, err, db.Close())
	// Output:
	// <nil>
	// 1 <nil> <nil>
}

// temporary opens a file. remove closes and deletes it.
func temporary(with ...sqlite.Workflow) (file *sqlite.File, remove func()) {
	folder, err := os.MkdirTemp("", "sqlite")
	if err == nil {
		file, err = sqlite.Open(context.Background(), filepath.Join(folder, "app.db"), sqlite.Options{}, with...)
	}
	if err != nil {
		log.Panic(err)
	}
	return file, func() {
		if err := file.Close(context.Background()); err != nil {
			log.Panic(err)
		}
		_ = os.RemoveAll(folder)
	}
}

// An operator needs no types: values are JSON.
func ExampleFile_Operator() {
	ctx := context.Background()
	file, remove := temporary(greet)
	defer remove()
	visitor, err := greet.Start(ctx, file.Engine(), "visitor-1", struct{}{})
	if err != nil {
		log.Panic(err)
	}
	operator := file.Operator()
	for info, err := range operator.Runs(ctx, sqlite.Query{State: sqlite.Lives}) {
		fmt.Println(info.ID, info.Workflow, info.State, err)
	}
	fmt.Println(operator.Signal(ctx, "visitor-1", "name", []byte(`"Ann"`)))
	fmt.Println(visitor.Wait(ctx))
	// Output:
	// visitor-1 greet lives <nil>
	// <nil>
	// Hello Ann <nil>
}

func ExampleOperate() {
	ctx := context.Background()
	file, remove := temporary(greet)
	defer remove()
	visitor, err := greet.Start(ctx, file.Engine(), "visitor-1", struct{}{})
	if err != nil {
		log.Panic(err)
	}
	operator, err := sqlite.Operate(ctx, file.Path()) // in another program
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(operator.Cancel(ctx, "visitor-1"), operator.Close())
	_, err = visitor.Wait(ctx)
	fmt.Println(errors.Is(err, fault.Cancelled))
	// Output:
	// <nil> <nil>
	// true
}

// With a stored history, such as durablectl prints, Replay shows before a deployment whether a live run can go on with a plan.
func ExampleReplay() {
	ctx := context.Background()
	file, remove := temporary(greet)
	defer remove()
	if _, err := greet.Start(ctx, file.Engine(), "visitor-1", struct{}{}); err != nil {
		log.Panic(err)
	}
	history, err := file.Operator().History(ctx, "visitor-1")
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(sqlite.Replay(greet, history))
	louder := durable.New("greet", flow.Then(durable.Signal[string]("name"), flow.Named("louder",
		step.Map(func(name string) string { return "HELLO " + name }))))
	fmt.Println(sqlite.Replay(louder, history) != nil)
	// Output:
	// <nil>
	// true
}

// The schedule starts a report each working day at six in the morning. It is stored in the file.
func ExampleRepeat() {
	ctx := context.Background()
	report := durable.New("report", step.Await(func(_ context.Context, of string) (string, error) { return "the report of " + of, nil }))
	file, remove := temporary(report)
	defer remove()
	err := sqlite.Repeat(ctx, file, report, sqlite.Schedule{
		Name: "sales", When: "CRON_TZ=UTC 0 6 * * mon-fri", Overlap: cron.Later,
	}, "sales")
	fmt.Println(err)
	all, err := file.Operator().Schedules(ctx)
	fmt.Println(all[0].Name, all[0].Workflow, all[0].Overlap, all[0].Next.After(all[0].Done), err)
	fmt.Println(file.Operator().Pause(ctx, "sales"), file.Operator().Remove(ctx, "sales"))
	// Output:
	// <nil>
	// sales report later true <nil>
	// <nil> <nil>
}

// At most ten bodies of the name charge are called at once, however many runs there are.
func ExampleOptions() {
	ctx := context.Background()
	charge := flow.Named("charge", step.Await(func(_ context.Context, cents int) (int, error) { return cents, nil }))
	folder, err := os.MkdirTemp("", "sqlite")
	if err != nil {
		log.Panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	file, err := sqlite.Open(ctx, filepath.Join(folder, "app.db"), sqlite.Options{Limits: map[string]int{"charge": 10}}, durable.New("payments", charge))
	if err != nil {
		log.Panic(err)
	}
	fmt.Println(file.Close(ctx))
	// Output: <nil>
}
