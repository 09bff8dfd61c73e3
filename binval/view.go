package binval

import "unsafe"

// View reads v as a T without copying: a string or a slice that View returns shares the memory
// of v. The result is valid until v is reset; until then the memory must not be changed, unless
// both sides agree on that. A slice has no spare capacity, so append copies.
//
// Nothing is converted: v must be of the kind of T. Strings and bools are checked, which takes
// a pass over them.
//
// Errors: those of [To], where ErrRange means a bool that is neither 0 nor 1. Allocation: none.
//
//spec:ftn12 §2.7.1
func View[T Data](v *Value) (T, error) {
	var out, zero T
	if err := share(flagsOf[T](), unsafe.Pointer(&out), v); err != nil {
		return zero, err
	}
	return out, nil
}

// Bytes returns the memory of v without copying: the bytes of a number or bool, of the elements of an array, or of the code units of a
// string without the terminator, in the byte order of the machine. It is valid until v is reset, and for a number until v changes. The
// bytes must not be changed.
//
// Errors: those of [To] except ErrRange and ErrEncoding, because the contents aren't checked; ErrKind for a [Custom].
//
//spec:ftn12 §2.7.1
func (v *Value) Bytes() ([]byte, error) {
	f, err := v.flagsChecked()
	switch {
	case err != nil:
		return nil, err
	case f == Custom:
		return nil, wrong(ErrKind, f.String()+" as bytes")
	case f.isScalar():
		return unsafe.Slice((*byte)(v.scalar()), f.size()), nil
	}
	b, err := v.block(f)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(b.mem), uintptr(b.n)*f.size()), nil
}

// share sets the variable at p, whose type has the flags want, to the memory of v.
func share(want Flags, p unsafe.Pointer, v *Value) error {
	have, err := v.flagsChecked()
	switch {
	case err != nil:
		return err
	case have != want:
		return mismatch(have, want)
	case have.isScalar():
		return v.decodeScalar(have, want, p)
	}
	b, err := v.block(have)
	switch {
	case err != nil:
		return err
	case have.isString() && !b.valid():
		return wrong(ErrEncoding, have.String())
	case have == Array|Bool && !b.bools():
		return wrong(ErrRange, "element of "+have.String())
	}
	if have == String {
		*(*string)(p) = b.string()
	} else {
		*(*[]byte)(p) = b.bytes() // the slice header has the same layout for all types
	}
	return nil
}

// bools reports whether each byte is 0 or 1, as a Go bool must be.
func (b block) bools() bool {
	for _, x := range b.bytes() {
		if x > 1 {
			return false
		}
	}
	return true
}
