package wasm

// Echo is a guest with one step, echo, which gives what it gets.
var Echo = asm{
	imports: []string{"futoin.success/2"},
	code:    []defined{{"echo", 3, false, concat(as, local(2), invoke("success"))}},
}.build()

// These compile guests.
var (
	GuestC  = guestC
	GuestGo = guestGo
	GuestAS = guestAS
)
