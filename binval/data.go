package binval

// String16 is a UTF-16 string, as code units without a terminator, for C's
// char16_t. Make one of a Go string with utf16.Encode([]rune(s)); [To] turns a
// value of any encoding into a string.
type String16 []uint16

// String32 is a UTF-32 string, as code points without a terminator, for C's
// char32_t. Make one of a Go string by conversion: String32(s).
type String32 []rune

// Scalar permits the Go types of the scalar kinds. int and uint are sent as [Int64] and [Uint64], on a 32-bit machine
// as [Int32] and [Uint32]. For named types see [FromNumber].
type Scalar interface {
	bool | int8 | int16 | int32 | int64 | int |
		uint8 | uint16 | uint32 | uint64 | uint | float32 | float64
}

// Data permits the Go types of all kinds but [Custom]. Strings are Unicode: send other bytes as []byte.
//
//spec:ftn12 §2.7.1
type Data interface {
	Scalar | string | String16 | String32 |
		[]bool | []int8 | []int16 | []int32 | []int64 | []int |
		[]uint8 | []uint16 | []uint32 | []uint64 | []uint | []float32 | []float64
}

const (
	machineInt  = Int32 + Flags(word/8)*(Int64-Int32)
	machineUint = Uint32 + Flags(word/8)*(Uint64-Uint32)
)

// flagsOf returns the flags of T. The functions behind From, To and View take flags instead of a type parameter, so that they are
// compiled once.
func flagsOf[T Data]() Flags {
	switch any((*T)(nil)).(type) {
	case *string:
		return String
	case *String16:
		return UTF16
	case *String32:
		return UTF32
	case *bool:
		return Bool
	case *int8:
		return Int8
	case *int16:
		return Int16
	case *int32:
		return Int32
	case *int64:
		return Int64
	case *int:
		return machineInt
	case *uint8:
		return Uint8
	case *uint16:
		return Uint16
	case *uint32:
		return Uint32
	case *uint64:
		return Uint64
	case *uint:
		return machineUint
	case *float32:
		return Float32
	case *float64:
		return Float64
	default:
		return arrayOf[T]()
	}
}

func arrayOf[T Data]() Flags {
	switch any((*T)(nil)).(type) {
	case *[]bool:
		return Array | Bool
	case *[]int8:
		return Array | Int8
	case *[]int16:
		return Array | Int16
	case *[]int32:
		return Array | Int32
	case *[]int64:
		return Array | Int64
	case *[]int:
		return Array | machineInt
	case *[]uint8:
		return Array | Uint8
	case *[]uint16:
		return Array | Uint16
	case *[]uint32:
		return Array | Uint32
	case *[]uint64:
		return Array | Uint64
	case *[]uint:
		return Array | machineUint
	case *[]float32:
		return Array | Float32
	case *[]float64:
		return Array | Float64
	default:
		return 0 // Data has no other type; 0 is refused everywhere
	}
}
