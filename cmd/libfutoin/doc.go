// Command libfutoin is the engine of this module as a C shared library, for programs that have no other engine:
//
//	go build -buildmode=c-shared -o libfutoin.so ./cmd/libfutoin
//
// ftngo.h, beside this file, declares the functions of the library, and includes futoin_asyncsteps.h of package binval/cabi. The
// libfutoin.h that go build leaves beside the library isn't needed. Without cgo the command builds to a program that does nothing.
package main

// The build mode c-shared needs a main, which is never called.
func main() {}
