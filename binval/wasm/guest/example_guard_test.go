//go:build wasip1

package guest_test

import "github.com/futoin-go/asyncsteps/binval/wasm/guest"

//go:wasmexport book
func book(p, _, _ uint32) {
	as := guest.Steps(p)
	stock, ok := guest.FindGuard("stock")
	if !ok {
		as.Fail("InternalError", "the host shares no guard called stock")
		return
	}
	free := 3
	as.Sync(stock, func(guest.Steps) { free-- }) // one step inside of the guard

	as.Add(func(as guest.Steps) { stock.Lock(as) }, nil) // or several
	as.Add(func(guest.Steps) { free-- }, nil)
	as.Add(func(as guest.Steps) {
		stock.Unlock(as)
		guest.Give(as, []byte("booked"))
	}, nil)
}

// Steps inside of a guard that the host shares with the guest.
func ExampleFindGuard() {}
