// Package ctest is the C side of the tests of binval: the layout as the C
// compiler sees it, and C code that keeps, reads, makes and resets values. It is
// for tests alone, and empty without cgo.
package ctest
