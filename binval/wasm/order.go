package wasm

type order struct {
	call uint64 // the number of the call
	why  error
}

// occupy begins a call that the watch sees, unless such a call has begun already: code of the guest, or code of the host that may
// call the guest several times.
func (i *instance) occupy() {
	if i.busy++; i.busy == 1 {
		i.call.Add(1)
	}
}

func (i *instance) vacate() {
	if i.busy--; i.busy == 0 {
		i.call.Add(1)
	}
}

// stop orders the guest to end the call with the number call, which also makes the instance unusable. If that call has ended, the order
// has no effect. Any goroutine may call it.
func (i *instance) stop(call uint64, why error) {
	i.order.Store(&order{call, why})
}

// check panics if the call that is being executed was stopped. The panic ends the call of the guest.
func (i *instance) check() {
	if why := i.stopped(); why != nil {
		panic(why)
	}
}

func (i *instance) stopped() error {
	if o := i.order.Load(); o != nil && o.call == i.call.Load() {
		return o.why
	}
	return nil
}
