package sqlite_test

import (
	"bufio"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var (
	kills    = flag.Int("kills", 24, "how many times TestKilled kills its program")
	killSeed = flag.Uint64("kill.seed", 1, "draws the moments at which TestKilled kills")
)

// asProgram is an environment variable. If it is set, this binary is the program of TestKilled, on the file of that name.
const asProgram = "SQLITE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if path := os.Getenv(asProgram); path != "" {
		program(path, os.Args[1])
		return
	}
	os.Exit(m.Run())
}

const atOnce = 32

// tellingBody returns a step whose body tells the test the key of its call.
func tellingBody(name string) step.Step[string, string] {
	return flow.Named(name, step.Await(func(ctx context.Context, s string) (string, error) {
		tell("called", durable.Key(ctx))
		return s + " " + name, nil
	}))
}

func bookingBody(name string) step.Step[string, string] {
	return flow.Named(name, sqlite.Transact(func(ctx context.Context, tx *sqlite.Tx, s string) (string, error) {
		_, err := tx.ExecContext(ctx, "INSERT INTO booked VALUES (?)", durable.Key(ctx))
		return s + " " + name, err
	}))
}

var both = step.Map(func(p flow.Pair[string, string]) string { return p.A + p.B })

var killable = durable.New("killable", flow.Chain(
	tellingBody("a"), bookingBody("b"),
	flow.Named("c", flow.Call(flow.Chain(bookingBody("d"), tellingBody("e"), step.Delay[string](time.Millisecond)))),
	flow.Then(flow.Par2(tellingBody("f"), bookingBody("g")), both), tellingBody("h"),
))

const killableEnds = " a b d e f a b d e g h"

func tell(words ...string) {
	_, _ = fmt.Fprintln(os.Stdout, strings.Join(words, " ")) // nobody listens any more if it fails
}

// program opens the file. Told to load, it keeps atOnce runs going until it is killed. Told to finish, it waits for the runs whose ids
// come on its standard input.
func program(path, what string) {
	ctx := context.Background()
	what, relaxed := strings.CutPrefix(what, "relaxed ")
	f, err := sqlite.Open(ctx, path, sqlite.Options{Relaxed: relaxed, OnError: func(err error) { tell("report", err.Error()) }}, killable)
	if err != nil {
		tell("report", err.Error())
		return
	}
	var all sync.WaitGroup
	if name, load := strings.CutPrefix(what, "load "); load {
		for i := range atOnce {
			all.Go(func() {
				for n := 0; ; n++ {
					runOne(ctx, f, fmt.Sprintf("%s-%d-%d", name, i, n))
				}
			})
		}
	} else {
		for ids := bufio.NewScanner(os.Stdin); ids.Scan(); {
			run := killable.Attach(f.Engine(), ids.Text())
			all.Go(func() { result(ctx, run) })
		}
	}
	all.Wait()
	if err = f.Close(ctx); err != nil {
		tell("report", err.Error())
	}
}

func runOne(ctx context.Context, f *sqlite.File, id string) {
	run, err := killable.Start(ctx, f.Engine(), id, "")
	if err != nil {
		tell("report", err.Error())
		return
	}
	tell("started", id)
	result(ctx, run)
}

func result(ctx context.Context, run durable.Run[string]) {
	if out, err := run.Wait(ctx); err != nil || out != killableEnds {
		tell("report", run.ID(), out, fmt.Sprint(err))
	}
}

// A program is killed at random moments, and started again each time. No run that was started is lost, and none has another result.
// Transactions have happened once, and a body was called again only if its run had called no other since. Every second program
// doesn't wait for the disk.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	change(t, path, "CREATE TABLE booked (key TEXT)")
	random := rand.New(rand.NewPCG(*killSeed, 0))
	said := &toldWords{called: make(map[string]int), last: make(map[string]string)}
	for n := range *kills {
		said.process = n + 1
		what := fmt.Sprintf("load p%d", n)
		if n%2 == 1 {
			what = "relaxed " + what
		}
		c, lines := start(t, path, what, "")
		after := 1 + random.IntN(300)
		for line := range lines {
			said.note(t, line)
			if after--; after == 0 {
				if err := c.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := c.Wait(); err == nil || after > 0 {
			t.Fatal("the program has ended by itself")
		}
	}
	said.process++
	c, lines := start(t, path, "finish", strings.Join(ids(t, path), "\n"))
	for line := range lines {
		said.note(t, line)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	said.judge(t, path)
}

// ids returns the ids of the runs in the file, without those of flow.Calls.
func ids(t *testing.T, path string) (all []string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), "SELECT id FROM durable_runs WHERE outer IS NULL")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		if err = rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		all = append(all, id)
	}
	if err = rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// toldWords holds what the programs have written.
type toldWords struct {
	process  int // the number of the program that tells now
	started  []string
	called   map[string]int    // the process that has called a body last, by keys
	last     map[string]string // the key of the last call, by runs
	repeated int
}

func (s *toldWords) note(t *testing.T, line string) {
	t.Helper()
	what, text, _ := strings.Cut(line, " ")
	switch what {
	case "started":
		s.started = append(s.started, text)
	case "called":
		run, _, _ := strings.Cut(text, "/")
		if before, again := s.called[text]; again {
			s.repeated++
			if before == s.process {
				t.Errorf("%s is called twice by one program", text)
			}
			if s.last[run] != text {
				t.Errorf("%s is called again although %s was called after it", text, s.last[run])
			}
		}
		s.called[text], s.last[run] = s.process, text
	default:
		t.Errorf("the program says: %s", line)
	}
}

// judge compares what was told with the file at the end.
func (s *toldWords) judge(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	count := func(query string, args ...any) (n int) {
		if err := db.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	const outer = " FROM durable_runs WHERE outer IS NULL"
	lost := 0
	for _, id := range s.started {
		lost += 1 - count("SELECT count(*)"+outer+" AND id = ?", id)
	}
	runs, open := count("SELECT count(*)"+outer), count("SELECT count(*) FROM durable_runs WHERE state <> 1")
	rows, distinct := count("SELECT count(*) FROM booked"), count("SELECT count(DISTINCT key) FROM booked")
	t.Logf("%d kills: %d runs, %d lost, %d not ended well; %d effects in transactions, %d of them twice; %d calls of other bodies, %d of them repeats",
		*kills, runs, lost, open, rows, rows-distinct, len(s.called)+s.repeated, s.repeated)
	if lost != 0 || open != 0 || rows != distinct || distinct != 3*runs || len(s.called) != 4*runs {
		t.Errorf("%d keys of bodies, want %d; %d of transactions, want %d", len(s.called), 4*runs, distinct, 3*runs)
	}
	if runs < *kills {
		t.Error("there were too few runs")
	}
}

// start runs this test binary as the program called what. lines has the lines of its standard output, and is closed when
// that ends.
func start(t *testing.T, path, what, input string) (c *exec.Cmd, lines <-chan string) {
	t.Helper()
	c = exec.Command(os.Args[0], what) //nolint:noctx // it is killed
	c.Env = append(os.Environ(), asProgram+"="+path)
	c.Stderr = os.Stderr
	c.Stdin = strings.NewReader(input)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	all := make(chan string)
	go func() {
		defer close(all)
		for s := bufio.NewScanner(out); s.Scan(); {
			all <- s.Text()
		}
	}()
	return c, all
}
