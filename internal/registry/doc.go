// Package registry gives values numbers, by which code that can't hold a Go pointer refers to them.
//
// A [Table] keeps its entries reachable. It recognises a number that is used after its entry was taken out: numbers repeat only
// after a slot of the table was used 2^32 times or, where a number has 32 bits, after nearly as many entries.
package registry
