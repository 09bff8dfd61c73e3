// Package registry gives values numbers, by which code that can't hold a Go pointer refers to them.
//
// A [Table] keeps its entries reachable. It recognises a number that is used after its entry was taken out: a number repeats only
// after its slot has had 2^32 numbers or, where a number has 32 bits, after the table has given out nearly as many.
package registry
