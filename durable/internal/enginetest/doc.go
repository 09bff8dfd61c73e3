// Package enginetest has what the tests of all engines share: the programs that the generator of proptest/laws has drawn, those
// of the reference implementation, and the time of the processor. The tests stand in folders below durable, so that the files
// are found.
package enginetest
