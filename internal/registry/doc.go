// Package registry gives values numbers by which code that can't hold a Go pointer refers to them.
//
// A [Table] keeps its entries reachable. A number that is used too late, after its entry was taken out, is recognised and
// never reaches another entry: numbers repeat only after a slot of the table was used 2^32 times or, where a number has
// 32 bits, after 2^32 entries.
package registry
