//go:build wasip1

package guest_test

import "github.com/futoin-go/asyncsteps/binval/wasm/guest"

//go:wasmexport greet
func greet(p, _, args uint32) {
	as := guest.Steps(p)
	name, ok := guest.Take[string](args)
	if !ok {
		as.Fail("InvalidRequest", "a name is missing")
		return
	}
	guest.Give(as, "Hello, "+name)
}

// A guest with one step, greet. In a program its package is main, with an empty function main.
func Example() {}
