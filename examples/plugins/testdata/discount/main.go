//go:build wasip1

// Command discount is a rule: a tenth less from ten pieces on. For an order of no pieces it never ends, like a rule with a
// mistake.
package main

import (
	"encoding/json"

	"github.com/futoin-go/asyncsteps/binval/wasm/guest"
)

// percent may be set by the linker: -ldflags '-X main.percent=80'.
var percent = "90"

//go:wasmexport price
func price(p, _, args uint32) {
	as := guest.Steps(p)
	var order struct{ Quantity, Cents int64 }
	if err := json.Unmarshal([]byte(guest.String(args)), &order); err != nil {
		as.Fail("InvalidRequest", err.Error())
		return
	}
	for order.Quantity == 0 {
	}
	total := order.Quantity * order.Cents
	if order.Quantity >= 10 {
		total = total * int64(percent[0]-'0') / 10
	}
	out, _ := json.Marshal(struct{ Cents int64 }{total}) // it can't fail
	guest.Give(as, string(out))
}

func main() {}
