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

// referee starts workers, which are processes, and reads what they report, an event a line.
type referee struct {
	t  *testing.T
	at net.Listener

	mu     sync.Mutex
	events []event
	news   chan struct{} // closed and replaced when there are new events
}

// event is one line from a worker: "hello" with its name, "enter" with a fence, "leave", "cause" or "failed" with an error
// code. storm adds "stop" before it stops a worker by a signal.
type event struct {
	worker, what, code string
	fence              uint64
	at                 time.Time
}

func newReferee(t *testing.T) *referee {
	t.Helper()
	at, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &referee{t: t, at: at, news: make(chan struct{})}
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

func (r *referee) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	name := ""
	for lines := bufio.NewScanner(c); lines.Scan(); {
		what, arg, _ := strings.Cut(lines.Text(), " ")
		e := event{worker: name, what: what, at: time.Now()}
		switch what {
		case "hello":
			name = arg
		case "enter":
			e.fence, _ = strconv.ParseUint(arg, 10, 64)
		default:
			e.code = arg
		}
		r.note(e)
		if _, err := fmt.Fprintln(c, "ok"); err != nil {
			return
		}
	}
}

func (r *referee) note(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	close(r.news)
	r.news = make(chan struct{})
}

type child struct {
	r    *referee
	name string
	cmd  *exec.Cmd
}

// start starts the test's binary again as a worker, with env added to its environment. The worker is killed at the end of
// the test.
func (r *referee) start(name, mode string, env ...string) *child {
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
	return &child{r, name, cmd}
}

func (w *child) signal(s syscall.Signal) {
	w.r.t.Helper()
	if err := w.cmd.Process.Signal(s); err != nil {
		w.r.t.Fatal(err)
	}
}

func (r *referee) all() []event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clip(r.events)
}

// wait returns the first event for which ok returns true, and its number. It begins with event number from, and waits for new
// events.
func (r *referee) wait(what string, from int, ok func(event) bool) (event, int) {
	r.t.Helper()
	late := time.After(time.Minute)
	for {
		r.mu.Lock()
		news := r.news
		r.mu.Unlock()
		all := r.all()
		for i := from; i < len(all); i++ {
			if ok(all[i]) {
				return all[i], i
			}
		}
		select {
		case <-news:
		case <-late:
			r.t.Fatalf("not in a minute: %s; happened: %v", what, r.all())
		}
	}
}

func (r *referee) entered(w *child, from int) (event, int) {
	r.t.Helper()
	return r.wait(w.name+" enters", from, func(e event) bool { return e.worker == w.name && e.what == "enter" })
}
