package binval

import (
	"runtime"
	"unsafe"
)

// held is the table entry for a Value made by this package. C may keep the Value in memory that the garbage collector doesn't scan, so
// the entry keeps the memory or the object of the Value alive until its Reset.
type held struct {
	mem     unsafe.Pointer // first element or code unit; nil for an object, a number or a bool
	size    uintptr        // size of mem in bytes, including the terminator of a string
	pin     runtime.Pinner
	object  any
	release func() // calls the object's release function; nil if it has none
	owner   Owner  // nil unless the value was made by Own
}

var holding Handles[held]

// nothing is the memory of empty strings and arrays, so that C gets a terminator and a pointer that isn't NULL. Nobody writes to it.
var nothing uint64

func lend(f Flags, p unsafe.Pointer, n int) Value {
	v := Value{typ: own(f), length: uint32(n)}
	if n == 0 {
		v.setPointer(unsafe.Pointer(&nothing))
		return v
	}
	h := held{mem: p, size: uintptr(n+f.terminators()) * f.size()}
	h.pin.Pin((*byte)(p))
	v.setPointer(p)
	v.custom = uintptr(holding.Put(h))
	return v
}

// copies reports whether v and w are copies of one value of this package, so that a Reset of one also releases the other.
func (v *Value) copies(w *Value) bool {
	return v.custom != 0 && v.custom == w.custom && v.isOwn() && w.isOwn()
}

// drop takes the entry with the given handle out of the table and releases what it holds. It does nothing if the entry was taken before.
func drop(of Handle) {
	h, ok := holding.Take(of)
	if !ok {
		return
	}
	h.pin.Unpin()
	if h.release != nil {
		h.release()
	}
	if h.owner != nil {
		h.owner.Release()
	}
}

// Reset releases what v owns and leaves v empty. On an empty v it does nothing. Memory that a
// [View] shares must not be used afterwards.
//
// The release function of a custom object runs before Reset returns. v is already empty then, so
// the function may reset v again. A cleanup function in C is called with a copy of v.
//
// Errors: ErrUnlinked if v has a cleanup function in C and this program can't call C, ErrPointer if the type
// of v isn't a plausible pointer; v then stays as it is.
//
//spec:ftn12 §2.7.1 futoin_reset_binval; rule B1
func (v *Value) Reset() error {
	if v.typ == 0 || v.isOwn() {
		if old := v.Take(); old.typ != 0 && old.custom != 0 {
			drop(Handle(old.custom))
		}
		return nil
	}
	if !plausible(v.typ, unsafe.Alignof(Type{})) {
		return wrong(ErrPointer, "type of the value")
	}
	cleanup := v.kind().cleanup
	if cleanup == 0 {
		*v = Value{}
		return nil
	}
	l := linked.Load()
	if l == nil || l.Call == nil {
		return ErrUnlinked
	}
	l.Call(cleanup, v.Take())
	return nil
}
