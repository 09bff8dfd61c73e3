package nats_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/syncx/nats"
)

func TestMain(m *testing.M) {
	clustertest.Main(m, func(address string, lease time.Duration) (clustertest.Guards, error) {
		_, kv, err := dial(context.Background(), address)
		return clustertest.Of(nats.New(kv, lease)), err
	})
}

func TestGuards(t *testing.T) {
	clustertest.Test(t, func(t testing.TB) clustertest.Server { return serve(t) })
}

// server is a NATS server on a loopback port, chosen at its first start.
type server struct {
	t    testing.TB
	dir  string
	port int
	at   *natsserver.Server
}

func serve(t testing.TB) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir(), port: natsserver.RANDOM_PORT}
	t.Cleanup(func() { s.Stop() })
	s.Start()
	return s
}

func (s *server) Address() string { return s.at.ClientURL() }

func (s *server) Start() {
	s.t.Helper()
	var err error
	s.at, err = natsserver.NewServer(&natsserver.Options{
		Host: "127.0.0.1", Port: s.port, JetStream: true, StoreDir: s.dir, NoLog: true, NoSigs: true,
		SyncAlways: true,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	go s.at.Start()
	if !s.at.ReadyForConnections(time.Minute) {
		s.t.Fatal("the server doesn't start")
	}
	at, ok := s.at.Addr().(*net.TCPAddr)
	if !ok {
		s.t.Fatal("no TCP")
	}
	s.port = at.Port
}

func (s *server) Stop() {
	s.at.Shutdown()
	s.at.WaitForShutdown()
}

// dial returns the bucket of the guards, which it creates if there is none.
func dial(ctx context.Context, address string) (*natsgo.Conn, jetstream.KeyValue, error) {
	nc, err := natsgo.Connect(address, natsgo.MaxReconnects(-1), natsgo.ReconnectWait(10*time.Millisecond), natsgo.ReconnectJitter(0, 0))
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, nil, err
	}
	kv, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "guards"})
	return nc, kv, err
}

func (s *server) bucket() (*natsgo.Conn, jetstream.KeyValue) {
	s.t.Helper()
	nc, kv, err := dial(context.Background(), s.Address())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(nc.Close)
	return nc, kv
}

func (s *server) Connect(lease time.Duration) clustertest.Process {
	nc, kv := s.bucket()
	first := func(name string) string { return name + ".places.0" }
	return clustertest.Process{
		Guards: clustertest.Of(nats.New(kv, lease)),
		Close:  nc.Close,
		Owner: func(name string) (string, error) {
			e, err := kv.Get(context.Background(), first(name))
			if errors.Is(err, jetstream.ErrKeyNotFound) {
				return "", nil
			}
			if err != nil {
				return "", err
			}
			return string(e.Value()), nil
		},
		Steal: func(name, by string) error {
			_, err := kv.PutString(context.Background(), first(name), by)
			return err
		},
		Waiting: func(name string) (int, error) {
			e, err := kv.Get(context.Background(), name+".places.queue")
			if errors.Is(err, jetstream.ErrKeyNotFound) {
				return 0, nil
			}
			if err != nil {
				return 0, err
			}
			return len(strings.Fields(string(e.Value()))), nil
		},
		Ghosts: func(name string, n int) error {
			_, err := kv.PutString(context.Background(), name+".places.queue", strings.Repeat("dead:1 ", n))
			return err
		},
	}
}
