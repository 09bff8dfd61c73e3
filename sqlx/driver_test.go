package sqlx_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"sync"
	"testing"
)

// database is a driver that executes no statement and notes begins, commits and rollbacks.
type database struct {
	beginning func(ctx context.Context) error // called by each begin, may be nil
	commit    []error                         // the errors of the commits, in their order

	mu     sync.Mutex
	events []string
}

func (d *database) open(t *testing.T) *sql.DB {
	t.Helper()
	db := sql.OpenDB(d)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func (d *database) note(event string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, event)
}

func (d *database) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.events, " ")
}

func (d *database) Connect(context.Context) (driver.Conn, error) { return &connection{d}, nil }
func (d *database) Driver() driver.Driver                        { return nil }

type connection struct{ *database }

var errNoStatements = errors.New("this database executes no statements")

func (c *connection) Prepare(string) (driver.Stmt, error) { return nil, errNoStatements }
func (c *connection) Begin() (driver.Tx, error)           { return nil, errNoStatements }
func (c *connection) Close() error                        { return nil }

func (c *connection) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if c.beginning != nil {
		if err := c.beginning(ctx); err != nil {
			return nil, err
		}
	}
	event := "begin"
	if o.ReadOnly {
		event = "begin-read-only"
	}
	c.note(event)
	return c, nil
}

func (c *connection) Commit() error {
	c.note("commit")
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.commit) == 0 {
		return nil
	}
	err := c.commit[0]
	c.commit = c.commit[1:]
	return err
}

func (c *connection) Rollback() error {
	c.note("rollback")
	return nil
}
