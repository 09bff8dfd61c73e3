// Package guest is for steps that are written in Go and run in WebAssembly, as guests of package wasm:
//
//	//go:wasmexport hello
//	func hello(as, _, args uint32) {
//		guest.Give(guest.Steps(as), "Hello, "+guest.String(args))
//	}
//
//	func main() {}
//
// Build them with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared. The package is empty elsewhere. A guest has one
// goroutine at a time: a step must not block. It needs functions of WASI: let Limits.WASI of the host be wasm.Basic().
//
//spec:ftn12 §2.7
package guest
