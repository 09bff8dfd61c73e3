package wasm

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/futoin-go/asyncsteps/fault"
)

// The layout of the structs of §2.7 for pointers of 32 bits: see rule B6.
const (
	valueSize  = 24
	valueType  = 0
	valueUnion = 8
	valueData  = 16
	valueLen   = 20
	argsSize   = 4 * valueSize
	typeSize   = 8
	handleSize = 12
)

// bytes returns n bytes of the guest's memory, which are valid until the guest is called the next time. It panics if they are outside of
// the memory.
func (i *instance) bytes(at, n uint32) []byte {
	whole, end := i.linear.whole, uint64(at)+uint64(n)
	if i.mem == nil || end > uint64(len(whole)) {
		i.outside()
	}
	return whole[at:end:end]
}

func (i *instance) outside() {
	if i.mem == nil {
		panic(errClosed)
	}
	refuse(fault.InternalError, "the guest has given a pointer outside of its memory")
}

func (i *instance) load(at uint32) uint32 { return binary.LittleEndian.Uint32(i.bytes(at, 4)) }

func (i *instance) store(at, n uint32) { binary.LittleEndian.PutUint32(i.bytes(at, 4), n) }

// longest is the length of the longest string that functions of the table take.
const longest = 4096

// text returns a copy of a C string of the guest, "" for NULL. It panics if the string doesn't end in the memory, or is too long.
func (i *instance) text(at uint32) string {
	s := i.brief(at)
	if len(s) > longest {
		endless()
	}
	return s
}

// infoAt is text for the info of an error. Instead of panicking it cuts a string that is too long, between two characters.
func (i *instance) infoAt(at uint32) string {
	s := i.brief(at)
	if len(s) <= longest {
		return s
	}
	end := longest
	for end > longest-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// brief returns a copy of a C string of the guest, or of its first longest+1 bytes.
func (i *instance) brief(at uint32) string {
	if at == 0 {
		return ""
	}
	size := i.mem.Size()
	if at >= size {
		refuse(fault.InternalError, "the guest has given a string outside of its memory")
	}
	b := i.bytes(at, min(longest+1, size-at))
	n := bytes.IndexByte(b, 0)
	if n < 0 {
		if n = len(b); n <= longest {
			endless()
		}
	}
	return string(b[:n])
}

func endless() {
	refuse(fault.InternalError, "the guest has given a string that doesn't end, or has more than 4096 bytes")
}

// lend copies s to memory of the guest, as a C string.
func (i *instance) lend(s string) uint32 {
	at := i.alloc(uint32(len(s)) + 1)
	copy(i.bytes(at, uint32(len(s))), s)
	return at
}

// native converts b, elements of size bytes each, between the byte orders of the guest and the machine. It returns b itself if nothing has
// to be converted.
func native(b []byte, size int) []byte {
	if size == 1 || binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return b
	}
	return reversed(b, size)
}

func reversed(b []byte, size int) []byte {
	out := make([]byte, len(b))
	for at := 0; at+size <= len(b); at += size {
		for k := range size {
			out[at+k] = b[at+size-1-k]
		}
	}
	return out
}
