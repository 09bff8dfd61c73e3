// Package dbtest holds the tests of package sqlx that need databases: SQLite in this process and a
// PostgreSQL server on this machine. It is a module of its own, so that users of sqlx don't get
// the drivers.
package dbtest
