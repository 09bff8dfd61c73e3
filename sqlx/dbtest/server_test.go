//go:build unix

package dbtest

import (
	"database/sql"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// postgres starts a server that ends with the test and listens only on a socket in a directory of the test.
func postgres(t *testing.T) *sql.DB {
	t.Helper()
	initdb, server := program(t, "initdb"), program(t, "postgres")
	// A directory in /tmp: the path of a socket must be short.
	dir, err := os.MkdirTemp("/tmp", "sqlx") //nolint:usetesting // see above
	check(t, err)
	t.Cleanup(func() { check(t, os.RemoveAll(dir)) })
	as := unprivileged(t, dir)

	data := filepath.Join(dir, "data")
	run := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(name, args...) //nolint:noctx // Cleanup ends the server
		c.Dir, c.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
		return c
	}
	if out, err := run(initdb, "--pgdata", data, "--auth", "trust", "--username", "test", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	check(t, err)
	c := run(server, "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off")
	c.Stdout, c.Stderr = log, log
	check(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGINT) // fast shutdown
		<-ended
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("the server's log:\n%s", text)
		}
		_ = log.Close()
	})

	db, err := sql.Open("pgx", "host="+dir+" user=test dbname=postgres")
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	for db.PingContext(t.Context()) != nil {
		select {
		case err := <-ended:
			ended <- err
			t.Fatal("the server has ended: ", err)
		case <-time.After(10 * time.Millisecond): // until it takes connections
		}
	}
	return db
}

func program(t *testing.T, name string) string {
	t.Helper()
	if found, err := exec.LookPath(name); err == nil {
		return found
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) == 0 {
		t.Skipf("there is no %s; .ci/postgres installs it on Debian", name)
	}
	return found[len(found)-1]
}

// unprivileged returns a user for the server, which refuses to run as root, and makes that user the owner of dir. It
// returns nil if the test doesn't run as root.
func unprivileged(t *testing.T, dir string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Skip("root can't start a server without the user postgres:", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	check(t, err)
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	check(t, err)
	check(t, os.Chown(dir, int(uid), int(gid)))
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
