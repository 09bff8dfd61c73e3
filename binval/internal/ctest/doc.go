// Package ctest is the C side of the tests of binval: the C compiler's idea of
// the layout, and C code that keeps, reads, makes and resets values. It is for
// tests alone, and empty without cgo.
package ctest
