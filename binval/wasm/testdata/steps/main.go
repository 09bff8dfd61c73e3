//go:build wasip1

// Command steps is the guest of tests of package wasm. Each export is a step.
package main

import (
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/binval/wasm/guest"
)

//go:wasmexport hello
func hello(as, _, args uint32) {
	guest.Give(guest.Steps(as), "Hello, "+guest.String(args))
}

//go:wasmexport waits
func waits(p, _, _ uint32) {
	as := guest.Steps(p)
	as.Wait()
	as.After(20*time.Millisecond, func() { guest.Give(as, int32(7)) })
}

//go:wasmexport adds
func adds(p, _, args uint32) {
	as := guest.Steps(p)
	left, _ := guest.Take[int32](args)
	right := int32(0)
	branches := as.Parallel(nil)
	branches.Add(func(guest.Steps) { left += 20 }, nil)
	branches.Add(func(guest.Steps) { right += 20 }, nil)
	as.Add(func(as guest.Steps) { guest.Give(as, left+right) }, nil)
}

//go:wasmexport fails
func fails(as, _, _ uint32) { guest.Steps(as).Fail("OutOfStock", "three are left") }

//go:wasmexport handles
func handles(as, data, args uint32) {
	guest.Steps(as).Add(
		func(as guest.Steps) { fails(uint32(as), data, args) },
		func(as guest.Steps, code string) { guest.Give(as, code) },
	)
}

//go:wasmexport part
func part(p, _, _ uint32) {
	as := guest.Steps(p)
	whole := []byte{1, 2}
	as.Add(func(as guest.Steps) { guest.Give(as, whole[:1]) }, nil)
	as.Add(func(as guest.Steps) { guest.Give(as, int32(whole[1])) }, nil)
}

//go:wasmexport late
func late(p, _, _ uint32) {
	as := guest.Steps(p)
	large := make([]byte, 64<<10)
	after := func(as guest.Steps) { as.After(time.Hour, func() { large[0]++ }) }
	after(as)
	as.Add(after, nil)
}

//go:wasmexport beside
func beside(p, _, _ uint32) {
	as := guest.Steps(p)
	rung := int32(0)
	as.After(5*time.Millisecond, func() { rung = 42 })
	branches := as.Parallel(nil)
	as.Add(func(as guest.Steps) {
		as.Wait()
		as.After(10*time.Millisecond, func() { guest.Give(as, rung) })
	}, nil)
	branches.Add(func(guest.Steps) {}, nil)
}

var ended guest.Steps

//go:wasmexport leaves
func leaves(p, _, _ uint32) {
	guest.Steps(p).Add(func(as guest.Steps) { ended = as }, nil)
}

//go:wasmexport uses
func uses(p, _, _ uint32) { keeps(uint32(ended), 0, 0) }

//go:wasmexport keeps
func keeps(p, _, _ uint32) {
	large := make([]byte, 64<<10)
	guest.Steps(p).Add(func(guest.Steps) { large[0]++ }, nil)
}

// hands gives a string to a step that doesn't get it.
//
//go:wasmexport hands
func hands(p, _, _ uint32) {
	as := guest.Steps(p)
	as.Add(func(as guest.Steps) { guest.Give(as, strings.Repeat("x", 64<<10)) }, nil)
	as.Add(func(as guest.Steps) { guest.Give(as, int32(7)) }, nil)
}

//go:wasmexport drops
func drops(p, _, args uint32) {
	if _, ok := guest.Take[int32](args); ok {
		guest.Steps(p).Fail("NotString", "")
	}
	guest.Drop(args)
}

// again takes a string twice.
//
//go:wasmexport again
func again(p, _, args uint32) {
	_, first := guest.Take[string](args)
	_, second := guest.Take[string](args)
	guest.Give(guest.Steps(p), first && !second)
}

// repeats gives the number of iterations of a repeat, which breaks in the tenth.
//
//go:wasmexport repeats
func repeats(p, _, args uint32) {
	as := guest.Steps(p)
	n, _ := guest.Take[int64](args)
	turns := int32(0)
	as.Repeat("", int(n), func(as guest.Steps, _ int) {
		if turns++; turns == 10 {
			as.Break("")
		}
	})
	as.Add(func(as guest.Steps) { guest.Give(as, turns) }, nil)
}

// briefly takes a number of nanoseconds, and waits for a timer of that length, or for a limit of it if the number is negative.
//
//go:wasmexport briefly
func briefly(p, _, args uint32) {
	as := guest.Steps(p)
	n, _ := guest.Take[int64](args)
	as.Wait()
	if n < 0 {
		as.Timeout(time.Duration(-n))
		return
	}
	as.After(time.Duration(n), func() { guest.Done(as) })
}

func main() {}
