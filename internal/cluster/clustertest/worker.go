package clustertest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// The environment variables of a worker.
const (
	refereeEnv = "CLUSTERTEST_REFEREE"
	nameEnv    = "CLUSTERTEST_NAME"
	modeEnv    = "CLUSTERTEST_MODE"
	serverEnv  = "CLUSTERTEST_SERVER"
	leaseEnv   = "CLUSTERTEST_LEASE"
	placesEnv  = "CLUSTERTEST_PLACES"
)

// The modes of a worker: it stays in its section until it is evicted, or it leaves soon and enters again.
const (
	hold = "hold"
	loop = "loop"
)

const lifetime = 3 * time.Minute

// Main is for TestMain. It runs the tests, or, in a process that a test has started, a worker. The worker uses the guards
// that dial returns for the address of a server and the length of a lease. Main doesn't return.
func Main(m *testing.M, dial func(address string, lease time.Duration) (Guards, error)) {
	if os.Getenv(refereeEnv) == "" {
		os.Exit(m.Run())
	}
	lease, err := time.ParseDuration(os.Getenv(leaseEnv))
	exitOn(err)
	places, err := strconv.Atoi(os.Getenv(placesEnv))
	exitOn(err)
	guards, err := dial(os.Getenv(serverEnv), lease)
	exitOn(err)
	work(guards.Mutex("shared", places, -1))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
}

func workerEnv(s Server, places int, lease time.Duration) []string {
	return []string{serverEnv + "=" + s.Address(), leaseEnv + "=" + lease.String(), placesEnv + "=" + strconv.Itoa(places)}
}

func work(guard syncx.Guard) {
	time.AfterFunc(lifetime, func() { os.Exit(3) })
	go func() { // the standard input is a pipe that is closed at the end of the test
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	c, err := net.Dial("tcp", os.Getenv(refereeEnv)) //nolint:gosec,noctx // the address is the one of the test that has started this process
	exitOn(err)
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
	if mode == loop {
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
