package binval_test

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
)

// Point is a struct of two numbers in C. Its fields are two arguments here.
type Point struct{ X, Y float32 }

func ExampleAt() {
	codec := binval.Codec[Point]{
		binval.At(func(p *Point) *float32 { return &p.X }),
		binval.At(func(p *Point) *float32 { return &p.Y }),
	}
	args, err := codec.Encode(&Point{1.5, 2})
	fmt.Println(args[0].Flags(), args[1].Flags(), err)
	var p Point
	fmt.Println(codec.Decode(&args, &p), p)
	// Output:
	// float32 float32 <nil>
	// <nil> {1.5 2}
}

// thereAndBack makes a value for the other side and reads it again.
func thereAndBack[T binval.Data](in T) (out T, err error) {
	v, err := binval.From(in)
	if err != nil {
		return out, err
	}
	defer v.Reset()
	return binval.To[T](&v)
}

func ExampleData() {
	fmt.Println(thereAndBack("tea"))
	fmt.Println(thereAndBack([]int16{3, 1, 2}))
	fmt.Println(thereAndBack(true))
	// Output:
	// tea <nil>
	// [3 1 2] <nil>
	// true <nil>
}

// largest lends C a slice for the call of c.
func largest[T binval.Scalar](list []T, c func(*binval.Value) int) T {
	v, err := binval.Lend(list)
	if err != nil {
		var none T
		return none
	}
	defer v.Reset()
	return list[c(&v)]
}

func ExampleScalar() {
	inC := func(v *binval.Value) int {
		list, _ := binval.View[[]uint32](v)
		return slices.Index(list, slices.Max(list))
	}
	fmt.Println(largest([]uint32{3, 17, 4}, inC))
	// Output: 17
}

type Celsius float32

// read prints v as a T, and the error.
func read[T binval.Number](v binval.Value) {
	n, err := binval.ToNumber[T](&v)
	fmt.Println(n, err)
}

func ExampleNumber() {
	read[Celsius](binval.FromNumber(int64(21)))
	read[uint8](binval.FromNumber(Celsius(-1)))
	// Output:
	// 21 <nil>
	// 0 InvalidRequest: float32 -1 as uint8: number out of range
}

func ExampleHandle() {
	var open binval.Handles[string]
	type callback struct{ data binval.Handle }
	c := callback{open.Put("db")}
	fmt.Println(open.Take(c.data))
	fmt.Println(unsafe.Sizeof(c.data) == unsafe.Sizeof(unsafe.Pointer(nil)))
	// Output:
	// db true
	// true
}

func ExampleFlags_Kind() {
	f := binval.Array | binval.Int32
	fmt.Println(f, f.Kind(), f.Kind() == binval.Int32)
	// Output: []int32 int32 true
}

func ExampleType() {
	word := unsafe.Sizeof(uintptr(0)) // on a 64-bit machine a Type has 16 bytes, a Value 32, Args 128
	fmt.Println(unsafe.Sizeof(binval.Type{}) == 2*word, unsafe.Sizeof(binval.Args{}) == 4*unsafe.Sizeof(binval.Value{}))
	// Output: true true
}
