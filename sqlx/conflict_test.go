package sqlx_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/futoin-go/asyncsteps/sqlx"
)

// state is an error like those of a PostgreSQL driver.
type state string

func (s state) Error() string    { return "SQLSTATE " + string(s) }
func (s state) SQLState() string { return string(s) }

// code is an error like those of a SQLite driver.
type code int

func (c code) Error() string { return fmt.Sprint("sqlite: ", int(c)) }
func (c code) Code() int     { return int(c) }

func TestConflicts(t *testing.T) {
	const busySnapshot, constraint = 5 | 2<<8, 19
	for _, c := range []struct {
		err              error
		postgres, sqlite bool
	}{
		{nil, false, false},
		{errors.New("40001"), false, false},
		{state("40001"), true, false},
		{fmt.Errorf("reserve: %w", state("40P01")), true, false},
		{state("23505"), false, false},
		{code(5), false, true},
		{code(6), false, true},
		{fmt.Errorf("reserve: %w", code(busySnapshot)), false, true},
		{code(constraint), false, false},
	} {
		if got := sqlx.PostgresConflict(c.err); got != c.postgres {
			t.Errorf("PostgresConflict(%v) = %v", c.err, got)
		}
		if got := sqlx.SQLiteBusy(c.err); got != c.sqlite {
			t.Errorf("SQLiteBusy(%v) = %v", c.err, got)
		}
	}
}
