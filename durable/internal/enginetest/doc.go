// Package enginetest has what the tests of all engines execute: the programs that the generator of proptest/laws has drawn, and those of
// the reference implementation. The tests stand in folders below durable, so that the files are found.
package enginetest
