package binval

import (
	"math"
	"unsafe"

	"golang.org/x/exp/constraints"
)

// Number permits all integer and float types, including named types such as time.Duration.
type Number interface {
	constraints.Integer | constraints.Float
}

// FromNumber makes a value of a number, like [From]. A named type is sent as its underlying
// type: with type Cents int64 the value is an [Int64]. uintptr is sent like uint.
//
//spec:ftn12 §2.7.1
func FromNumber[T Number](n T) Value {
	f := numberFlags[T]()
	v := Value{typ: own(f)}
	copyBytes(v.scalar(), unsafe.Pointer(&n), f.size())
	return v
}

// ToNumber reads a number like [To], also into named types.
//
//spec:ftn12 §2.7.1
func ToNumber[T Number](v *Value) (T, error) {
	var n, zero T
	if err := decode(numberFlags[T](), unsafe.Pointer(&n), v); err != nil {
		return zero, err
	}
	return n, nil
}

// numberFlags returns the flags of T. It uses arithmetic, because a type switch doesn't match named types.
func numberFlags[T Number]() Flags {
	var zero T
	one := zero + 1
	f := Int8
	switch {
	case one/2 != 0:
		f = Float32 - 2 // the loop below adds 2 for the four bytes of a Float32, 3 for a Float64
	case zero-one > zero:
		f = Uint8
	}
	for size := unsafe.Sizeof(zero); size > 1; size /= 2 {
		f++
	}
	return f
}

// number holds any number or bool while it is converted from one kind to another.
type number struct {
	kind Flags // Bool, Int64, Uint64 or Float64: which of the fields counts
	i    int64
	u    uint64 // also holds the byte of a bool
	f    float64
}

func load(f Flags, p unsafe.Pointer) number {
	switch f {
	case Bool:
		return number{kind: Bool, u: uint64(*(*uint8)(p))}
	case Int8:
		return number{kind: Int64, i: int64(*(*int8)(p))}
	case Int16:
		return number{kind: Int64, i: int64(*(*int16)(p))}
	case Int32:
		return number{kind: Int64, i: int64(*(*int32)(p))}
	case Int64:
		return number{kind: Int64, i: *(*int64)(p)}
	case Uint8:
		return number{kind: Uint64, u: uint64(*(*uint8)(p))}
	case Uint16:
		return number{kind: Uint64, u: uint64(*(*uint16)(p))}
	case Uint32:
		return number{kind: Uint64, u: uint64(*(*uint32)(p))}
	case Uint64:
		return number{kind: Uint64, u: *(*uint64)(p)}
	case Float32:
		return number{kind: Float64, f: float64(*(*float32)(p))}
	default:
		return number{kind: Float64, f: *(*float64)(p)}
	}
}

// store writes n as kind f. It reports false, and writes an undefined number, if f can't represent n exactly. It doesn't convert between
// bools and numbers: callers refuse that.
func (n number) store(f Flags, p unsafe.Pointer) bool {
	switch f {
	case Bool:
		*(*bool)(p) = n.u == 1
		return n.u <= 1
	case Int8:
		return signed[int8](n, p)
	case Int16:
		return signed[int16](n, p)
	case Int32:
		return signed[int32](n, p)
	case Int64:
		return signed[int64](n, p)
	case Uint8:
		return unsigned[uint8](n, p)
	case Uint16:
		return unsigned[uint16](n, p)
	case Uint32:
		return unsigned[uint32](n, p)
	case Uint64:
		return unsigned[uint64](n, p)
	case Float32:
		x, ok := n.float()
		*(*float32)(p) = float32(x)
		return ok && (float64(float32(x)) == x || math.IsNaN(x))
	default:
		x, ok := n.float()
		*(*float64)(p) = x
		return ok
	}
}

func signed[T constraints.Signed](n number, p unsafe.Pointer) bool {
	x, ok := n.int()
	*(*T)(p) = T(x)
	return ok && int64(T(x)) == x
}

func unsigned[T constraints.Unsigned](n number, p unsafe.Pointer) bool {
	x, ok := n.uint()
	*(*T)(p) = T(x)
	return ok && uint64(T(x)) == x
}

// Floats are compared with these bounds before they are converted: converting one that doesn't fit gives different results on different
// machines.
const (
	two63 = 1 << 63
	two64 = 1 << 64
)

func (n number) int() (int64, bool) {
	switch n.kind {
	case Int64:
		return n.i, true
	case Uint64:
		return int64(n.u), n.u <= math.MaxInt64
	default:
		if n.f != math.Trunc(n.f) || n.f < -two63 || n.f >= two63 {
			return 0, false
		}
		return int64(n.f), true
	}
}

func (n number) uint() (uint64, bool) {
	switch n.kind {
	case Int64:
		return uint64(n.i), n.i >= 0
	case Uint64:
		return n.u, true
	default:
		if n.f != math.Trunc(n.f) || n.f < 0 || n.f >= two64 {
			return 0, false
		}
		return uint64(n.f), true
	}
}

func (n number) float() (float64, bool) {
	switch n.kind {
	case Int64:
		x := float64(n.i)
		return x, x < two63 && int64(x) == n.i
	case Uint64:
		x := float64(n.u)
		return x, x < two64 && uint64(x) == n.u
	default:
		return n.f, true
	}
}
