//go:build unix

// Package clustertest tests guards of several processes with real ones: the test's own
// binary, started again as workers that enter sections of a guard and tell the test of it,
// over a connection on the loopback.
package clustertest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// The environment variables of a worker: the address of the referee, the worker's name, its mode, and its guard, a mutex.
const (
	refereeEnv = "CLUSTERTEST_REFEREE"
	nameEnv    = "CLUSTERTEST_NAME"
	modeEnv    = "CLUSTERTEST_MODE"
)

// The modes of a worker: it stays in its section until it is evicted, or it leaves soon and enters again.
const (
	Hold = "hold"
	Loop = "loop"
)

// IsWorker reports whether this process was started by [Referee.Start].
func IsWorker() bool { return os.Getenv(refereeEnv) != "" }

// lifetime is after how long a worker ends whatever happens.
const lifetime = 3 * time.Minute

// Work is the life of a worker: it enters guard, and ends when its referee does.
func Work(guard syncx.Guard) {
	time.AfterFunc(lifetime, func() { os.Exit(3) })
	go func() { // the standard input is a pipe that is closed at the end of the test
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	c, err := net.Dial("tcp", os.Getenv(refereeEnv)) //nolint:gosec,noctx // the test has set it, to its own address
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	w := &worker{conn: c, answers: bufio.NewReader(c)}
	w.tell("hello " + os.Getenv(nameEnv))
	section := syncx.Sync(guard, step.Await(w.section))
	for {
		_, err := flow.Run(context.Background(), section, os.Getenv(modeEnv))
		if err != nil {
			w.tell("failed " + string(fault.CodeOf(err)))
		}
	}
}

type worker struct {
	conn    net.Conn
	answers *bufio.Reader
}

// tell sends a line to the referee and waits for its answer.
func (w *worker) tell(line string) {
	_, err := fmt.Fprintln(w.conn, line)
	if err == nil {
		_, err = w.answers.ReadString('\n')
	}
	if err != nil { // the test is over
		os.Exit(0)
	}
}

func (w *worker) section(ctx context.Context, mode string) (string, error) {
	w.tell(fmt.Sprint("enter ", syncx.Fence(ctx)))
	stay := lifetime
	if mode == Loop {
		stay = 2 * time.Millisecond
	}
	select {
	case <-time.After(stay):
	case <-ctx.Done():
		w.tell("cause " + string(fault.CodeOf(context.Cause(ctx))))
		return "", ctx.Err()
	}
	w.tell("leave")
	return strings.ToUpper(mode), nil
}
