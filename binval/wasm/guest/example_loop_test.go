//go:build wasip1

package guest_test

import "github.com/futoin-go/asyncsteps/binval/wasm/guest"

//go:wasmexport root
func root(p, _, args uint32) {
	as := guest.Steps(p)
	n, _ := guest.Take[float64](args)
	x := n
	as.Loop("search", func(as guest.Steps) {
		next := (x + n/x) / 2
		if next >= x {
			as.Break("search")
		}
		x = min(x, next)
	})
	as.Add(func(as guest.Steps) { guest.Give(as, x) }, nil)
}

//go:wasmexport count
func count(p, _, args uint32) {
	as := guest.Steps(p)
	n, _ := guest.Take[int32](args)
	odd := int32(0)
	as.Repeat("", int(n), func(as guest.Steps, i int) {
		if i%2 == 0 {
			as.Continue("")
			return
		}
		odd++
	})
	as.Add(func(as guest.Steps) { guest.Give(as, odd) }, nil)
}

// A loop that ends itself, and one with a number of iterations.
func ExampleSteps_Loop() {}
