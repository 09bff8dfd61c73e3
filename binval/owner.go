package binval

import "unsafe"

// Owner owns the memory of a [Value] that [Own] has made.
type Owner interface {
	// Release is called once, by the first Reset of the value or of a copy, on the goroutine that resets. From then on the memory
	// is the owner's again.
	Release()
}

// Own makes a value of memory that belongs to something else, such as a module of WebAssembly. Only a number or bool is copied. mem begins
// with the number or bool, with the n elements of an array, or with the n code units and the terminator of a string, in the byte order of
// the machine. n counts only for arrays and strings. mem isn't used for a [Custom]. [OwnerOf] returns the owner.
//
// The contents are checked when the value is read, by [To] for example; the owner may change them until then. C must not
// get the value, because mem isn't pinned.
//
// Errors: ErrFlags if f isn't valid; ErrLength if mem is too short; ErrPointer if it isn't aligned for its elements. The owner
// isn't released then.
//
//spec:ftn12 §2.7.1
func Own(f Flags, mem []byte, n uint32, owner Owner) (Value, error) {
	switch {
	case !f.Valid():
		return Value{}, wrong(ErrFlags, f.String())
	case f == Custom:
		return Value{typ: own(f), custom: uintptr(holding.Put(held{owner: owner}))}, nil
	case f.isScalar():
		return ownScalar(f, mem, owner)
	}
	p := unsafe.Pointer(unsafe.SliceData(mem))
	switch {
	case (uint64(n)+uint64(f.terminators()))*uint64(f.size()) > uint64(len(mem)):
		return Value{}, wrong(ErrLength, f.String())
	case uintptr(p)%f.size() != 0:
		return Value{}, wrong(ErrPointer, f.String())
	}
	v := Value{typ: own(f), length: n}
	if len(mem) == 0 { // an empty array, whose memory may be nil
		p = unsafe.Pointer(&nothing)
	}
	v.setPointer(p)
	v.custom = uintptr(holding.Put(held{mem: p, size: uintptr(len(mem)), owner: owner}))
	return v, nil
}

func ownScalar(f Flags, mem []byte, owner Owner) (Value, error) {
	if uintptr(len(mem)) < f.size() {
		return Value{}, wrong(ErrLength, f.String())
	}
	v := Value{typ: own(f), custom: uintptr(holding.Put(held{owner: owner}))}
	copyBytes(v.scalar(), unsafe.Pointer(unsafe.SliceData(mem)), f.size())
	return v, nil
}

// OwnerOf returns the owner that [Own] was called with. It returns nil for other values, and for one that was reset.
func OwnerOf(v *Value) Owner {
	if !v.isOwn() || v.custom == 0 {
		return nil
	}
	h, _ := holding.Get(Handle(v.custom))
	return h.owner
}
