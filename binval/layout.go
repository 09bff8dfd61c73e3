package binval

import "unsafe"

const word = unsafe.Sizeof(uintptr(0))

// gap is the padding that aligns the union to unionAlign. It is explicit because Go aligns 64-bit numbers to 4 bytes on all 32-bit
// machines, and C to 8 bytes on some of them.
type gap [(unionAlign - word%unionAlign) % unionAlign]byte

// The layout of FutoInType, FutoInBinaryValue and FutoInArgs (rule B6). The array types below have the difference between the real and
// the expected number as their length, in both directions, so they compile only if the numbers are equal. Tests compare the layout with
// the C compiler's.
const (
	unionAt  = word + unsafe.Sizeof(gap{})
	customAt = unionAt + 8
	lengthAt = customAt + word
	valueEnd = lengthAt + 4
	size     = (valueEnd + max(word, unionAlign) - 1) / max(word, unionAlign) * max(word, unionAlign)
)

type (
	_ [unsafe.Offsetof(Type{}.cleanup) - word]struct{}
	_ [word - unsafe.Offsetof(Type{}.cleanup)]struct{}
	_ [unsafe.Sizeof(Type{}) - 2*word]struct{}
	_ [2*word - unsafe.Sizeof(Type{})]struct{}

	_ [0 - unsafe.Offsetof(Value{}.typ)]struct{}
	_ [unsafe.Offsetof(Value{}.union) - unionAt]struct{}
	_ [unionAt - unsafe.Offsetof(Value{}.union)]struct{}
	_ [unsafe.Offsetof(Value{}.custom) - customAt]struct{}
	_ [customAt - unsafe.Offsetof(Value{}.custom)]struct{}
	_ [unsafe.Offsetof(Value{}.length) - lengthAt]struct{}
	_ [lengthAt - unsafe.Offsetof(Value{}.length)]struct{}
	_ [unsafe.Sizeof(Value{}) - size]struct{}
	_ [size - unsafe.Sizeof(Value{})]struct{}

	_ [unsafe.Sizeof(Args{}) - 4*size]struct{}
	_ [4*size - unsafe.Sizeof(Args{})]struct{}
)
