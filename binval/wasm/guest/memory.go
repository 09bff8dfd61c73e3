//go:build wasip1

package guest

import "unsafe"

// blocks keeps the memory that the host has asked for.
var blocks = map[uint32][]uint64{}

func alloc(size uint32) uint32 {
	b := make([]uint64, size/8+3)
	at := (uint32(uintptr(unsafe.Pointer(&b[0]))) + 15) &^ 15
	blocks[at] = b
	return at
}

func bytes(at, n uint32) []byte { return unsafe.Slice((*byte)(pointer(at)), n) }

// pointer returns the pointer to an address. It reads the number as a pointer, because go vet objects to a conversion.
func pointer(at uint32) unsafe.Pointer {
	p := uintptr(at)
	return *(*unsafe.Pointer)(unsafe.Pointer(&p))
}

// text returns a copy of a string, with a terminator, for the host to read during a call. The address doesn't keep the copy alive, so
// nothing may be allocated between taking the address and the call.
func text(s string) []byte { return append([]byte(s), 0) }

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// value is a FutoInBinaryValue.
type value struct {
	typ    uint32
	_      uint32
	union  uint64
	data   uint32
	length uint32
}

// kind is a FutoInType.
type kind struct {
	flags   uint8
	cleanup uint32
}

const (
	kindString = 0x02
	kindBool   = 0x05
	kindInt32  = 0x08
	kindInt64  = 0x09
	kindDouble = 0x0F
	kindBytes  = 0x1A
	kindArray  = 0x10 // the flag of arrays
)

// kinds are the types of the values that guests give. By the cleanup of strings and bytes the guest learns that it may free them.
var kinds = [32]kind{
	kindString: {kindString, released}, kindBool: {kindBool, 0}, kindInt32: {kindInt32, 0}, kindInt64: {kindInt64, 0},
	kindDouble: {kindDouble, 0}, kindBytes: {kindBytes, released},
}
