// Package enginetest has what the tests of several engines share: the programs that the generator of proptest/laws has drawn, those
// of the reference implementation, checks, and the time of the processor. It finds the files of programs from folders directly below
// durable, where these tests stand.
package enginetest
