package nats_test

import (
	"net"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/syncx/nats"
)

const ms = time.Millisecond

// TestMain is a worker's main function, too: of a process that a test has started.
func TestMain(m *testing.M) {
	if clustertest.IsWorker() {
		work()
		return
	}
	os.Exit(m.Run())
}

// serve starts a server on a free loopback port, or on the port given, and stops it with
// the test.
func serve(t testing.TB, dir string, port int) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true,
		SyncAlways: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { stop(s) })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server doesn't start")
	}
	return s
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// anyPort makes the server take a free port.
const anyPort = -1

func connect(t testing.TB, url string) *natsgo.Conn {
	t.Helper()
	nc, err := natsgo.Connect(url, natsgo.MaxReconnects(-1), natsgo.ReconnectWait(10*ms), natsgo.ReconnectJitter(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// bucket is the bucket of a connection; it is made if need be.
func bucket(t testing.TB, nc *natsgo.Conn) jetstream.KeyValue {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.CreateOrUpdateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "guards"})
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

// process is what one process has: a connection, a bucket, guards.
type process struct {
	nc     *natsgo.Conn
	kv     jetstream.KeyValue
	guards *nats.Guards
}

func newProcess(t testing.TB, s *server.Server, lease time.Duration) *process {
	t.Helper()
	nc := connect(t, s.ClientURL())
	kv := bucket(t, nc)
	return &process{nc, kv, nats.New(kv, lease)}
}

// within fails the test if nothing comes in a minute: no test waits for ever.
func within[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(time.Minute):
		t.Fatal("nothing in a minute")
		panic("unreachable")
	}
}

// eventually waits until cond holds.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !cond(); time.Sleep(ms) {
		if time.Now().After(end) {
			t.Fatal("not in a minute: " + what)
		}
	}
}

func portOf(t testing.TB, s *server.Server) int {
	t.Helper()
	at, ok := s.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal("no TCP")
	}
	return at.Port
}
