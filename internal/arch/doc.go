// Package arch checks that the project keeps to its design. It has only tests: which package may import which, where
// goroutines, clocks, recover, unsafe and untyped values may appear, and whether tests, examples and lists in the docs are
// complete. The tables of policy_test.go state the design; change a table only together with the design.
//
// The tests read source text with go/parser. They need neither a build nor the go command, see files of every operating system
// and build tag, and don't mind packages that don't exist yet.
package arch
