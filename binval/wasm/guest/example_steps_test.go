//go:build wasip1

package guest_test

import "github.com/futoin-go/asyncsteps/binval/wasm/guest"

//go:wasmexport total
func total(p, _, args uint32) {
	as := guest.Steps(p)
	order, _ := guest.Take[int32](args)
	var price, shipping int32
	both := as.Parallel(nil)
	both.Add(func(guest.Steps) { price = 10 * order }, nil)
	both.Add(func(as guest.Steps) {
		as.Fail("NoAnswer", "the carrier is closed")
	}, func(as guest.Steps, code string) {
		shipping = 5
		guest.Done(as)
	})
	as.Add(func(as guest.Steps) { guest.Give(as, price+shipping) }, nil)
}

// Two branches side by side, one of which fails and is handled, then a step that uses what both have found.
func ExampleSteps_Add() {}
