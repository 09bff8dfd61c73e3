package binval

import (
	"math"
	"strconv"
	"unsafe"
)

type block struct {
	flags Flags
	mem   unsafe.Pointer // nil only if n is 0
	n     int            // elements, or code units without the terminator
}

func (v *Value) flagsChecked() (Flags, error) {
	switch {
	case v.typ == 0:
		return 0, wrong(ErrKind, "no value")
	case !plausible(v.typ, unsafe.Alignof(Type{})):
		return 0, wrong(ErrPointer, "type of the value")
	}
	f := v.kind().flags
	if !f.Valid() {
		return f, wrong(ErrFlags, f.String())
	}
	return f, nil
}

func (v *Value) block(f Flags) (block, error) {
	if uint64(v.length) > math.MaxInt {
		return block{}, wrong(ErrLength, f.String()+" is larger than the memory")
	}
	b := block{flags: f, n: int(v.length)}
	var err error
	if v.isOwn() {
		b.mem, err = v.ownMemory(f)
	} else {
		b.mem, err = v.foreignMemory(f)
	}
	if err == nil && f.isString() && b.mem != nil && !b.terminated() {
		err = wrong(ErrLength, f.String()+" without terminator at "+strconv.Itoa(b.n))
	}
	return b, err
}

// ownMemory returns the memory of a value made by this package, which must lie inside of the memory that the table entry of its handle
// holds. The kind that the entry was made for isn't compared.
func (v *Value) ownMemory(f Flags) (unsafe.Pointer, error) {
	if v.custom == 0 {
		if v.length != 0 {
			return nil, wrong(ErrLength, f.String()+" without memory")
		}
		return nil, nil
	}
	h, ok := holding.Get(Handle(v.custom))
	if !ok || h.mem == nil {
		return nil, wrong(ErrStale, f.String())
	}
	offset := v.address() - uintptr(h.mem)
	if offset > h.size || !plausible(v.address(), f.size()) {
		return nil, wrong(ErrPointer, f.String())
	}
	if (uint64(v.length)+uint64(f.terminators()))*uint64(f.size()) > uint64(h.size-offset) {
		return nil, wrong(ErrLength, f.String()+" of "+strconv.Itoa(int(v.length)))
	}
	if v.length == 0 && f.isArray() {
		return nil, nil // the end of the memory may be the start of another block
	}
	return unsafe.Add(h.mem, offset), nil
}

func (v *Value) foreignMemory(f Flags) (unsafe.Pointer, error) {
	at, size := v.address(), (uint64(v.length)+uint64(f.terminators()))*uint64(f.size())
	switch {
	case at == 0 && v.length == 0:
		return nil, nil
	case at == 0:
		return nil, wrong(ErrLength, f.String()+" is nil with length "+strconv.Itoa(int(v.length)))
	case !plausible(at, f.size()):
		return nil, wrong(ErrPointer, f.String())
	case size > uint64(^uintptr(0)-at) || size > math.MaxInt:
		return nil, wrong(ErrLength, f.String()+" of "+strconv.Itoa(int(v.length)))
	}
	return v.pointer(), nil
}

// fits reports whether a Go slice can hold as many elements, or code units, of kind f as b has. On a 64-bit machine it always can.
func (b block) fits(f Flags) bool { return uint64(b.n)*uint64(f.size()) <= math.MaxInt }

// terminated reports whether the code unit behind the string is zero.
func (b block) terminated() bool {
	end := unsafe.Add(b.mem, uintptr(b.n)*b.flags.size())
	switch b.flags {
	case String:
		return *(*uint8)(end) == 0
	case UTF16:
		return *(*uint16)(end) == 0
	default:
		return *(*uint32)(end) == 0
	}
}

// plausible reports whether an element with the given alignment can have the given address. The first page isn't mapped, so small
// numbers are mistakes.
func plausible(at, align uintptr) bool { return at >= 4096 && at%align == 0 }

func (b block) bytes() []byte   { return unsafe.Slice((*byte)(b.mem), b.n) }
func (b block) string() string  { return unsafe.String((*byte)(b.mem), b.n) }
func (b block) utf16() []uint16 { return unsafe.Slice((*uint16)(b.mem), b.n) }
func (b block) utf32() []rune   { return unsafe.Slice((*rune)(b.mem), b.n) }
