package binval_test

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf16"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func ExampleFrom() {
	v, err := binval.From("tea")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer v.Reset()
	fmt.Println(v.Flags(), v.Len())
	// Output: string 3
}

func ExampleString16() {
	v, _ := binval.From(binval.String16(utf16.Encode([]rune("grün"))))
	defer v.Reset()
	s, err := binval.To[string](&v)
	fmt.Println(v.Flags(), s, err)
	// Output: string16 grün <nil>
}

func ExampleString32() {
	v, _ := binval.From(binval.String32("grün"))
	defer v.Reset()
	s, err := binval.To[string](&v)
	fmt.Println(v.Flags(), s, err)
	// Output: string32 grün <nil>
}

func ExampleTo() {
	v, _ := binval.From(int64(300))
	fmt.Println(binval.To[int16](&v))
	_, err := binval.To[int8](&v)
	fmt.Println(err)
	fmt.Println(errors.Is(err, binval.ErrRange), errors.Is(err, fault.InvalidRequest))
	// Output:
	// 300 <nil>
	// InvalidRequest: int64 300 as int8: number out of range
	// true true
}

func ExampleView() {
	v, _ := binval.From([]float64{1, 2, 3})
	defer v.Reset()
	sum := 0.0
	shared, err := binval.View[[]float64](&v)
	for _, x := range shared {
		sum += x
	}
	fmt.Println(sum, err)
	// Output: 6 <nil>
}

func ExampleLend() {
	samples := make([]float32, 1<<20) // too large to copy
	v, err := binval.Lend(samples)
	fmt.Println(v.Flags(), v.Len(), err)
	v.Reset() // C doesn't need the elements any more
	// Output: []float32 1048576 <nil>
}

func ExampleFromNumber() {
	type Cents int64
	v := binval.FromNumber(Cents(250))
	fmt.Println(v.Flags())
	// Output: int64
}

func ExampleToNumber() {
	type Cents int64
	v := binval.FromNumber(250.0)
	fmt.Println(binval.ToNumber[Cents](&v))
	// Output: 250 <nil>
}

type conn struct{ name string }

func (c *conn) Close() { fmt.Println("close", c.name) }

func ExampleFromCustom() {
	v := binval.FromCustom(&conn{"db"}, (*conn).Close)
	fmt.Println(v.Flags())
	v.Reset()
	v.Reset() // does nothing
	// Output:
	// custom
	// close db
}

func ExampleToCustom() {
	v := binval.FromCustom(&conn{"db"}, nil)
	defer v.Reset()
	c, err := binval.ToCustom[*conn](&v)
	fmt.Println(c.name, err)
	_, err = binval.ToCustom[string](&v)
	fmt.Println(err)
	// Output:
	// db <nil>
	// InvalidRequest: object of another Go type: wrong kind of value
}

func ExampleTakeCustom() {
	v := binval.FromCustom(&conn{"db"}, (*conn).Close)
	c, _ := binval.TakeCustom[*conn](&v)
	v.Reset() // does nothing: v is empty
	fmt.Println(c.name, "is open")
	// Output: db is open
}

func ExampleForeignCustom() {
	v := binval.FromCustom(&conn{"db"}, nil)
	defer v.Reset()
	_, err := binval.ForeignCustom(&v)
	fmt.Println(err)
	// Output: InvalidRequest: Go object as foreign object: wrong kind of value
}

func ExampleValue_Reset() {
	v, _ := binval.From("tea")
	copied := v
	v.Reset()
	_, err := binval.To[string](&copied)
	fmt.Println(v.IsZero(), err)
	// Output: true InvalidRequest: string: value is not held any more
}

func ExampleValue_Take() {
	v, _ := binval.From("tea")
	on := v.Take()
	defer on.Reset()
	fmt.Println(v.Flags(), on.Flags())
	// Output: none string
}

func ExampleArgs_Reset() {
	args := binval.Args{
		binval.FromCustom(&conn{"db"}, (*conn).Close),
		binval.FromNumber(7),
		binval.FromCustom(&conn{"cache"}, (*conn).Close),
	}
	args.Reset()
	// Output:
	// close db
	// close cache
}

func ExampleArgs_Take() {
	args := binval.Args{binval.FromNumber(int64(7))}
	on := args.Take()
	fmt.Println(args[0].Flags(), on[0].Flags())
	// Output: none int64
}

type Purchase struct {
	Item  string
	Count int32
}

var purchase = binval.Codec[Purchase]{
	binval.At(func(p *Purchase) *string { return &p.Item }),
	binval.At(func(p *Purchase) *int32 { return &p.Count }),
}

func ExampleCodec() {
	args, err := purchase.Encode(&Purchase{"tea", 3})
	fmt.Println(args[0].Flags(), args[1].Flags(), args[2].Flags(), err)

	var p Purchase
	err = purchase.Decode(&args, &p)
	fmt.Println(p, args[0].Flags(), err)
	// Output:
	// string int32 none <nil>
	// {tea 3} none <nil>
}

func ExampleOne() {
	args, _ := binval.One[float64]().Encode(new(float64))
	fmt.Println(args[0].Flags())
	// Output: float64
}

func ExampleAtNumber() {
	type Cents int64
	codec := binval.Codec[Cents]{binval.AtNumber(func(c *Cents) *Cents { return c })}
	args, _ := codec.Encode(new(Cents))
	fmt.Println(args[0].Flags())
	// Output: int64
}

func ExampleAtCustom() {
	type request struct{ db *conn }
	codec := binval.Codec[request]{
		binval.AtCustom(func(r *request) **conn { return &r.db }, (*conn).Close),
	}
	args, _ := codec.Encode(&request{&conn{"db"}})
	args.Reset()
	// Output: close db
}

func ExampleAtValue() {
	type request struct{ anything binval.Value }
	codec := binval.Codec[request]{
		binval.AtValue(func(r *request) *binval.Value { return &r.anything }),
	}
	var r request
	args := binval.Args{binval.FromNumber(uint8(7))}
	err := codec.Decode(&args, &r)
	fmt.Println(r.anything.Flags(), err)
	// Output: uint8 <nil>
}

func ExampleCodec_Decoder() {
	price := step.Map(func(p Purchase) float64 { return 2.5 * float64(p.Count) })
	plan := flow.Then(purchase.Decoder(), flow.Then(price, binval.One[float64]().Encoder()))

	args, _ := purchase.Encode(&Purchase{"tea", 3})
	defer args.Reset() // in case the run ends before it decodes them
	result, err := flow.Run(context.Background(), plan, &args)
	defer result.Reset()
	total, _ := binval.To[float64](&result[0])
	fmt.Println(total, err)
	// Output: 7.5 <nil>
}

func ExampleLink() {
	binval.Link(binval.Linkage{
		Cleanup: 0, // the address of a C function that calls Value.Reset
		Call:    func(f uintptr, _ binval.Value) { fmt.Printf("call %#x\n", f) },
	})
	defer binval.Unlink()
	v := binval.Foreign(binval.NewType(binval.Custom, 0x1000), nil, 0)
	fmt.Println(v.Reset())
	// Output:
	// call 0x1000
	// <nil>
}

func ExampleHandles() {
	var open binval.Handles[*conn]
	h := open.Put(&conn{"db"})
	c, ok := open.Get(h)
	fmt.Println(c.name, ok)
	open.Take(h)
	_, ok = open.Get(h)
	fmt.Println(ok, unsafe.Sizeof(h) == unsafe.Sizeof(uintptr(0))) // it fits into a void*
	// Output:
	// db true
	// false true
}

func ExampleFlags_Valid() {
	fmt.Println((binval.Array | binval.Float64).Valid(), (binval.Array | binval.Custom).Valid())
	// Output: true false
}
