package temporal_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Environment variables that turn this test program into a worker, and sizes of the test.
const (
	workerAddr  = "DURABLE_TEST_WORKER" // the server's address
	workerCalls = "DURABLE_TEST_CALLS"  // the file to which bodies write their calls
	atOnce      = 10                    // how many bodies a worker calls at the same time
	crashPlans  = 200
)

func TestMain(m *testing.M) {
	if addr := os.Getenv(workerAddr); addr != "" {
		if err := workFor(addr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func notingBody(name string) step.Step[int, int] {
	return flow.Named(name, step.Await(func(ctx context.Context, n int) (int, error) {
		f, err := os.OpenFile(os.Getenv(workerCalls), os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return 0, err
		}
		_, err = fmt.Fprintln(f, durable.Key(ctx), os.Getpid())
		if closed := f.Close(); err == nil {
			err = closed
		}
		time.Sleep(20 * time.Millisecond)
		return n + 1, err
	}))
}

func crashPlan() *durable.Workflow[int, int] {
	sum := step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B })
	return durable.New("crashes", flow.Chain(notingBody("first"), step.Delay[int](100*time.Millisecond),
		flow.Then(flow.Par2(notingBody("left"), notingBody("right")), sum), flow.Timeout(time.Hour, notingBody("limited")), notingBody("last")),
		durable.Heartbeat(2*time.Second))
}

func crashKeys(id string) []string {
	return []string{id + "/0#1", id + "/2/par.0/0#1", id + "/2/par.1/0#1", id + "/4/0#1", id + "/5#1"}
}

func workFor(addr string) error {
	c, err := dial(context.Background(), addr)
	if err != nil {
		return err
	}
	defer c.Close()
	w := worker.New(c, "crashes", worker.Options{MaxConcurrentActivityExecutionSize: atOnce})
	if err = temporal.Of(crashPlan()).Register(w); err != nil {
		return err
	}
	return w.Run(worker.InterruptCh())
}

func process(t *testing.T, addr, calls string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0]) //nolint:noctx // the test kills it
	c.Env = append(os.Environ(), workerAddr+"="+addr, workerCalls+"="+calls)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// One of two worker processes is killed in the middle of 200 runs, then the server, which is started again with its data. No run is
// lost, each call has the key that the plan predicts, and no more calls are repeated than may have been under way.
func TestCrash(t *testing.T) {
	s := serve(t)
	c := s.client()
	calls := filepath.Join(t.TempDir(), "calls")
	if err := os.WriteFile(calls, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, _ := process(t, s.addr(), calls), process(t, s.addr(), calls)
	on, w := temporal.Engine(c, "crashes"), crashPlan()
	var started sync.WaitGroup
	places := make(chan struct{}, 12)
	for i := range crashPlans {
		started.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			untilItSucceeds(t, func(ctx context.Context) error {
				_, err := w.Start(ctx, on, fmt.Sprintf("crash-%d", i), i)
				return err
			})
		})
	}
	waitForLines(t, calls, crashPlans/2)
	_ = first.Process.Kill()
	_ = first.Wait()
	process(t, s.addr(), calls)
	started.Wait()
	waitForLines(t, calls, 2*crashPlans)
	s.kill()
	s.start()

	for i := range crashPlans {
		id := fmt.Sprintf("crash-%d", i)
		untilItSucceeds(t, func(ctx context.Context) error {
			out, err := w.Attach(on, id).Wait(ctx)
			if want := 2*(i+2) + 2; err == nil && out != want {
				t.Errorf("%s: got %d, want %d", id, out, want)
			}
			return err
		})
	}
	wantRepeats(t, lines(t, calls))
	wantReplayed(t, c, w)
}

// untilItSucceeds calls fn again and again, because the server is away for a while.
func untilItSucceeds(t *testing.T, fn func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for {
		attempt, end := context.WithTimeout(ctx, 20*time.Second)
		err := fn(attempt)
		end()
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Error(err)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func waitForLines(t *testing.T, calls string, n int) {
	t.Helper()
	for began := time.Now(); len(lines(t, calls)) < n; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 3*time.Minute {
			t.Fatalf("only %d calls", len(lines(t, calls)))
		}
	}
}

// wantRepeats checks that the calls were those that the plans predict, and how many were repeated.
func wantRepeats(t *testing.T, all []string) {
	t.Helper()
	times := make(map[string]int)
	for _, line := range all {
		key, _, _ := strings.Cut(line, " ")
		times[key]++
	}
	again := 0
	for i := range crashPlans {
		for _, key := range crashKeys(fmt.Sprintf("crash-%d", i)) {
			if times[key] == 0 {
				t.Errorf("%s was never called", key)
			}
			again += max(0, times[key]-1)
			delete(times, key)
		}
	}
	for key := range times {
		t.Errorf("%s is no key of the plan", key)
	}
	// A call is repeated if it was under way in the killed worker, or if its result had not been stored when the server was killed.
	if most := 3 * atOnce; again > most {
		t.Errorf("%d calls were repeated, at most %d were under way", again, most)
	}
	t.Logf("%d calls, %d repeated", len(all), again)
}

func wantReplayed(t *testing.T, c client.Client, w *durable.Workflow[int, int]) {
	t.Helper()
	for i := 0; i < crashPlans; i += crashPlans / 5 {
		if err := replay(t, c, w, fmt.Sprintf("crash-%d", i)); err != nil {
			t.Error(err)
		}
	}
}
