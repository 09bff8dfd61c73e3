// Package enginetest holds what the tests of several engines share: programs that the generator of proptest/laws has drawn,
// programs of the reference implementation, checks, and a measurement of processor time. It finds the files of the programs only
// from folders directly below durable, where the tests are.
package enginetest
