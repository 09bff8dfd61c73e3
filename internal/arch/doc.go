// Package arch holds the project to its own picture. It has no code, only
// tests: which package may import which, and where goroutines, clocks, recover,
// unsafe and untyped values may appear. The rules are tables in policy_test.go;
// change a table only together with the design that it states.
//
// The tests read source text with go/parser. They need neither a build nor the
// go command, see files of every operating system and build tag, and don't
// mind packages that don't exist yet.
package arch
