package binval

import "unsafe"

// The C side of a 32-bit machine differs from one ABI to the next (i386 aligns
// the union to 4 bytes, ARM to 8), and a handle there would be too short for a
// generation that can be relied upon. So the package is for 64-bit machines, and
// this line says so to the compiler.
const _ uintptr = 1 << 63

// The layout of FutoInType, FutoInBinaryValue and FutoInArgs on a 64-bit
// machine (B6). The differences are array lengths of zero: any other length
// doesn't compile. A test compares the same numbers with the C compiler's.
type (
	_ [unsafe.Offsetof(Type{}.cleanup) - 8]struct{}
	_ [8 - unsafe.Offsetof(Type{}.cleanup)]struct{}
	_ [unsafe.Sizeof(Type{}) - 16]struct{}
	_ [16 - unsafe.Sizeof(Type{})]struct{}

	_ [0 - unsafe.Offsetof(Value{}.typ)]struct{}
	_ [unsafe.Offsetof(Value{}.union) - 8]struct{}
	_ [8 - unsafe.Offsetof(Value{}.union)]struct{}
	_ [unsafe.Offsetof(Value{}.custom) - 16]struct{}
	_ [16 - unsafe.Offsetof(Value{}.custom)]struct{}
	_ [unsafe.Offsetof(Value{}.length) - 24]struct{}
	_ [24 - unsafe.Offsetof(Value{}.length)]struct{}
	_ [unsafe.Sizeof(Value{}) - 32]struct{}
	_ [32 - unsafe.Sizeof(Value{})]struct{}

	_ [unsafe.Sizeof(Args{}) - 128]struct{}
	_ [128 - unsafe.Sizeof(Args{})]struct{}
)
