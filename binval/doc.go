// Package binval makes and reads the binary data that steps written in different languages hand to each other, in the memory layout
// of C.
//
// [From] puts a Go value into a [Value]. [To] reads a Value and checks every conversion; [View] reads one without copying. They
// know bool, integers except uintptr, floats, strings of 8-, 16- and 32-bit code units, and slices of bool, integers and floats.
// [FromCustom] and [ToCustom] carry Go values of any other type through C and back. [Args] are four values, the arguments of a
// step; a [Codec] maps them to the fields of a struct.
//
// # Ownership
//
// A Value may own memory, or an object with a release function. Its last owner resets it: [Value.Reset], or futoin_reset_binval in
// C. A function that receives a value owns it, and resets it unless it hands it on; [Value.Take] and [Args.Take] hand a value on.
// Resetting a Value twice is no error. A Value is a plain struct that can be copied like any other, but a copy is not a second
// owner. If this package has made the value, the first Reset of any copy resets it, and all copies are void from then on; but
// copies of a number or bool, and of an empty string or array that [Own] hasn't made, stay valid. If other code has made the value,
// only its owner may reset it, and nobody may reset a copy.
//
// # What C sees
//
// To the garbage collector a Value holds no Go pointer, so it may lie in C memory, and C may leave anything in its union. A table
// in this package keeps the memory of a Value that was made here alive until Reset; the memory is also pinned, unless [Own] has
// made the Value. custom_data holds the number of the entry in the table, which includes a generation. So reading a Value made here
// fails if the Value is stale, or if its address or length exceeds its memory. For a Value that other code has made, the flags, the
// alignment, nil pointers and the terminator of a string are checked; a dangling pointer can't be recognised.
//
// C can reset Go's values, and Go can reset C's, once package binval/cabi has called [Link].
// This package itself is pure Go and needs no C compiler.
//
// # Errors
//
// Each error is a fault.InvalidRequest and is, or wraps, one of the variables ErrKind, ErrRange, …, which errors.Is finds. No
// content of a Value makes this package panic, except a pointer to memory that can't be read.
//
// # Concurrency
//
// All functions may be called from any goroutine or thread, but a Value, like any variable,
// has one user at a time. Different copies of one Value that [From] or [FromCustom] has made
// may be reset and read at the same time.
//
//spec:ftn12 §2.7.1
package binval
