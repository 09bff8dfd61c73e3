package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

// asProgram makes the test binary behave as the program, for tests that need their own process.
const asProgram = "WORKER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	leaktest.Main(m)
}

// When the worker is stopped, the call under way ends first, and its result counts.
func TestStop(t *testing.T) {
	for _, tt := range []struct {
		reason string
		files  []string
		status int
		ends   time.Duration
		want   string
	}{
		{"while nothing is there", nil, 200, 5 * time.Second, " |  | "},
		{"during a call that succeeds", []string{"a", "b"}, 200, 7 * time.Second, "b | a | "},
		{"during a call that is refused", []string{"a", "b"}, 400, 7 * time.Second, "b |  | a a.why"},
		{"during a call that fails: it may be tried again some day", []string{"a", "b"}, 500, 7 * time.Second, "a b |  | "},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				folder := newSpool(t, tt.files...)
				s := &server{answer: func(context.Context, string, int) (int, error) {
					time.Sleep(7 * time.Second)
					return tt.status, nil
				}}
				began := time.Now()
				runWorker(t, 5*time.Second, folder, s)
				wantFolders(t, folder, tt.want)
				if took := time.Since(began); took != tt.ends {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

func TestNoSpool(t *testing.T) {
	o := testOptions(filepath.Join(t.TempDir(), "missing"))
	if err := run(t.Context(), o, http.DefaultClient, io.Discard); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}

// The whole program, with a real server and a real signal.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can be sent an interrupt")
	}
	got := make(chan string, 9)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.Method + " " + string(body)
	}))
	defer s.Close()
	folder := newSpool(t, "a", "b")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-spool", folder, "-to", s.URL)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := ""
	for lines := bufio.NewScanner(out); !strings.Contains(said, "sent b") && lines.Scan(); {
		said += lines.Text() + "\n"
	}
	if a, b := <-got, <-got; a != "POST content of a" || b != "POST content of b" {
		t.Errorf("got %q, %q", a, b)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(out)
	if err := cmd.Wait(); err != nil || string(rest) != "2 sent, 0 dead\n" {
		t.Errorf("%v, said\n%s%s", err, said, rest)
	}
	wantFolders(t, folder, " | a b | ")
}
