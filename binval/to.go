package binval

import (
	"strconv"
	"unsafe"
)

// To reads v as a T. It doesn't change v, and the result shares no memory with v, so v may be reset afterwards.
//
// To converts if nothing is lost: a number, or an array of numbers, to any type that represents it exactly, a string
// to any encoding. A bool isn't converted to a number, nor a scalar to an array, nor the reverse.
//
// Errors: ErrKind, ErrRange, ErrEncoding, ErrLength, ErrFlags, ErrPointer or ErrStale; the result is then the zero T.
//
// Allocation: none for a [Scalar].
//
//spec:ftn12 §2.7.1
func To[T Data](v *Value) (T, error) {
	var out, zero T
	if err := decode(flagsOf[T](), unsafe.Pointer(&out), v); err != nil {
		return zero, err
	}
	return out, nil
}

// decode reads v into the variable at p, whose type has the flags want.
func decode(want Flags, p unsafe.Pointer, v *Value) error {
	have, err := v.flagsChecked()
	switch {
	case err != nil:
		return err
	case have.isScalar():
		return v.decodeScalar(have, want, p)
	case have == Custom:
		return mismatch(have, want)
	}
	b, err := v.block(have)
	switch {
	case err != nil:
		return err
	case have.isString() && want.isString():
		if !b.valid() {
			return wrong(ErrEncoding, have.String())
		}
		if have != want && !b.fits(UTF32) { // transcode makes a slice of runes
			return wrong(ErrLength, have.String()+" is too long to be converted")
		}
		b.transcode(want, p)
		return nil
	case have.isArray() && want.isArray():
		return b.decodeArray(want, p)
	default:
		return mismatch(have, want)
	}
}

func (v *Value) decodeScalar(have, want Flags, p unsafe.Pointer) error {
	switch {
	case !want.isScalar() || (have == Bool) != (want == Bool):
		return mismatch(have, want)
	case !convert(have, v.scalar(), want, p):
		return wrong(ErrRange, have.String()+" "+load(have, v.scalar()).String()+" as "+want.String())
	default:
		return nil
	}
}

func (b block) decodeArray(want Flags, p unsafe.Pointer) error {
	if (b.flags.Kind() == Bool) != (want.Kind() == Bool) {
		return mismatch(b.flags, want)
	}
	from, to := b.flags.Kind(), want.Kind()
	if !b.fits(to) {
		return wrong(ErrLength, b.flags.String()+" is too long for "+want.String())
	}
	elements := room(want, b.n)
	if from == to && from != Bool {
		copyBytes(elements, b.mem, uintptr(b.n)*to.size())
	} else {
		for i := range uintptr(b.n) {
			at := unsafe.Add(b.mem, i*from.size())
			if !convert(from, at, to, unsafe.Add(elements, i*to.size())) {
				return wrong(ErrRange, "element "+strconv.FormatUint(uint64(i), 10)+" of "+
					b.flags.String()+", "+load(from, at).String()+", as "+to.String())
			}
		}
	}
	// The slice header has the same layout for all types of elements.
	*(*[]byte)(p) = unsafe.Slice((*byte)(elements), b.n)
	return nil
}

// convert copies a bool or a number. It reports false if the copy would lose something.
func convert(from Flags, at unsafe.Pointer, to Flags, p unsafe.Pointer) bool {
	if from == to && from != Bool { // a copy keeps all bits, also those of a NaN
		copyBytes(p, at, to.size())
		return true
	}
	return load(from, at).store(to, p)
}

func (n number) String() string {
	switch n.kind {
	case Int64:
		return strconv.FormatInt(n.i, 10)
	case Bool, Uint64:
		return strconv.FormatUint(n.u, 10)
	default:
		return strconv.FormatFloat(n.f, 'g', -1, 64)
	}
}
