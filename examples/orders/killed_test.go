package main

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
)

// asCommand makes the test binary behave as the command, with its arguments.
const asCommand = "ORDERS_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The command is killed in the middle and started again: the order continues where it stopped, and at most one call is
// repeated, with its key.
func TestKilled(t *testing.T) {
	t.Run("on a file", func(t *testing.T) { survives(t, "-file", filepath.Join(t.TempDir(), "orders.db")) })
	t.Run("on a server", func(t *testing.T) { survives(t, "-temporal", server(t)) })
}

func survives(t *testing.T, on ...string) {
	t.Helper()
	first, lines := order(t, on)
	done := []string{next(t, lines)}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for line := range lines {
		done = append(done, line)
	}
	again, lines := order(t, on)
	for line := range lines {
		done = append(done, line)
	}
	if err := again.Wait(); err != nil {
		t.Errorf("%v\n%s", err, strings.Join(done, "\n"))
	}
	if last := done[len(done)-1]; last != "parcel with a teapot" {
		t.Errorf("it has ended with %q", last)
	}
	times := map[string]int{}
	for _, line := range done[:len(done)-1] {
		times[strings.Join(strings.Fields(line), " ")]++
	}
	repeated := 0
	for _, call := range []string{
		"reserve teapot order-17/0/0/undo.0/0#1", "charge 25000 cents order-17/0/2/undo.0/0/0/0#1", "ship teapot order-17/0/3#1",
	} {
		if times[call] == 0 {
			t.Errorf("%s is missing in\n%s", call, strings.Join(done, "\n"))
		}
		repeated += max(0, times[call]-1)
		delete(times, call)
	}
	if repeated > 1 || len(times) != 0 {
		t.Errorf("%d calls were repeated, and there are %v", repeated, times)
	}
}

// server starts a development server, and returns its address once it answers.
func server(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("temporal")
	if cache, where := os.UserCacheDir(); err != nil && where == nil {
		program, err = exec.LookPath(filepath.Join(cache, "asyncsteps-tools", "temporal"))
	}
	if err != nil || testing.Short() {
		t.Skip("skipped: no server: .ci/temporal builds one")
	}
	port := func() string {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		return port
	}
	own := port()
	process := exec.Command(program, "server", "start-dev", "--headless", "--log-level", "never", //nolint:noctx // it is killed
		"--port", own, "--ui-port", port(), "--http-port", port(), "--metrics-port", port(),
		"--db-filename", filepath.Join(t.TempDir(), "temporal.db"))
	if err = process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		c, err := client.DialContext(ctx, client.Options{HostPort: "127.0.0.1:" + own})
		if err == nil {
			c.Close()
			return "127.0.0.1:" + own
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// order starts the command, which prints a line for each effect.
func order(t *testing.T, on []string) (c *exec.Cmd, lines <-chan string) {
	t.Helper()
	c = exec.Command(os.Args[0], on...) //nolint:noctx // it is killed
	c.Env = append(os.Environ(), asCommand+"=1")
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	all := make(chan string)
	go func() {
		defer close(all)
		for s := bufio.NewScanner(out); s.Scan(); {
			all <- s.Text()
		}
	}()
	return c, all
}

func next(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line, ok := <-lines:
		if ok {
			return line
		}
		t.Fatal("it has ended")
	case <-time.After(time.Minute):
		t.Fatal("nothing came within a minute")
	}
	return ""
}
