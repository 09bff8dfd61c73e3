// Package registry gives numbers to values, so that code that can't hold a Go pointer can refer to the values.
//
// A [Table] keeps its entries reachable. It recognises a number that is used after its entry was taken out, because numbers hardly
// ever repeat: only after a slot has had 2^32 numbers or, where a number has 32 bits, after the table has given out nearly as many.
package registry
