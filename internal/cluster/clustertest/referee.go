//go:build unix

package clustertest

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Referee starts workers and hears what they do, one line at a time.
type Referee struct {
	t  *testing.T
	at net.Listener

	mu     sync.Mutex
	events []Event
	news   chan struct{} // closed when there are more events
}

// Event is a line of a worker: "enter", with a fence, "leave", "cause" or "failed", with a
// code. Or it is "stop": the worker is about to be stopped.
type Event struct {
	Worker, What, Code string
	Fence              uint64
	At                 time.Time
}

// NewReferee makes a Referee, which ends with the test.
func NewReferee(t *testing.T) *Referee {
	t.Helper()
	at, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Referee{t: t, at: at, news: make(chan struct{})}
	t.Cleanup(func() { _ = at.Close() })
	go func() {
		for {
			c, err := at.Accept()
			if err != nil {
				return
			}
			go r.serve(c)
		}
	}()
	return r
}

func (r *Referee) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	name := ""
	for lines := bufio.NewScanner(c); lines.Scan(); {
		what, arg, _ := strings.Cut(lines.Text(), " ")
		e := Event{Worker: name, What: what, At: time.Now()}
		switch what {
		case "hello":
			name = arg
		case "enter":
			e.Fence, _ = strconv.ParseUint(arg, 10, 64)
		default:
			e.Code = arg
		}
		r.note(e)
		if _, err := fmt.Fprintln(c, "ok"); err != nil {
			return
		}
	}
}

func (r *Referee) note(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	close(r.news)
	r.news = make(chan struct{})
}

// Worker is a process. Its methods fail the test if they can't.
type Worker struct {
	r    *Referee
	Name string
	cmd  *exec.Cmd
}

// Start starts the test's binary again as a worker, with these variables more in its
// environment. It is killed with the test at the latest.
func (r *Referee) Start(name, mode string, env ...string) *Worker {
	r.t.Helper()
	cmd := exec.Command(os.Args[0]) //nolint:gosec,noctx // the test itself, which Cleanup kills
	cmd.Env = append(cmd.Environ(), refereeEnv+"="+r.at.Addr().String(), nameEnv+"="+name, modeEnv+"="+mode)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill() // SIGKILL also ends a process that is stopped
		_ = cmd.Wait()
	})
	return &Worker{r, name, cmd}
}

// Signal sends a signal to the process.
func (w *Worker) Signal(s syscall.Signal) {
	w.r.t.Helper()
	if err := w.cmd.Process.Signal(s); err != nil {
		w.r.t.Fatal(err)
	}
}

// Events is what has happened so far.
func (r *Referee) Events() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clip(r.events)
}

// Wait returns the first event from number from on that ok holds for, and its number.
func (r *Referee) Wait(what string, from int, ok func(Event) bool) (Event, int) {
	r.t.Helper()
	late := time.After(time.Minute)
	for {
		r.mu.Lock()
		news := r.news
		r.mu.Unlock()
		all := r.Events()
		for i := from; i < len(all); i++ {
			if ok(all[i]) {
				return all[i], i
			}
		}
		select {
		case <-news:
		case <-late:
			r.t.Fatalf("not in a minute: %s; happened: %v", what, r.Events())
		}
	}
}

// Entered waits for a section of w from event number from on.
func (r *Referee) Entered(w *Worker, from int) (Event, int) {
	r.t.Helper()
	return r.Wait(w.Name+" enters", from, func(e Event) bool { return e.Worker == w.Name && e.What == "enter" })
}
