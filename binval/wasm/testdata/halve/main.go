//go:build wasip1

package main // of a guest: it is built with GOOS=wasip1 GOARCH=wasm

import "github.com/futoin-go/asyncsteps/binval/wasm/guest"

//go:wasmexport halve
func halve(p, _, args uint32) {
	as := guest.Steps(p)
	n, _ := guest.Take[int32](args)
	if n%2 != 0 {
		as.Fail("OddNumber", "can't be halved")
		return
	}
	guest.Give(as, n/2)
}

func main() {}
