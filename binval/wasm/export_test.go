package wasm

var Echo = asm{
	imports: []string{"futoin.success/2"},
	code:    []defined{{"echo", 3, false, concat(as, local(2), invoke("success"))}},
}.build()

var (
	GuestC  = guestC
	GuestGo = guestGo
	GuestAS = guestAS
)
