// Package table holds the code that the carriers of the function table (FTN12 §2.7.2) share. The carriers are cgo, in binval/cabi, and
// WebAssembly, in binval/wasm.
package table
