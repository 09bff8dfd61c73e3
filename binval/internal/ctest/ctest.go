//go:build cgo

package ctest

/*
#include <stdlib.h>
#include "ctest.h"
*/
import "C"

import "unsafe"

// Layout holds the results of the C compiler's sizeof and offsetof.
var Layout = struct {
	TypeSize, TypeFlags, TypeCleanup                               uintptr
	ValueSize, ValueType, ValueUnion, ValueCustomData, ValueLength uintptr
	ArgsSize, ArgsSecond                                           uintptr
}{
	C.CTEST_TYPE_SIZE, C.CTEST_TYPE_FLAGS, C.CTEST_TYPE_CLEANUP,
	C.CTEST_VALUE_SIZE, C.CTEST_VALUE_TYPE, C.CTEST_VALUE_UNION, C.CTEST_VALUE_CUSTOM_DATA, C.CTEST_VALUE_LENGTH,
	C.CTEST_ARGS_SIZE, C.CTEST_ARGS_SECOND,
}

// Held is a value in C memory.
type Held struct{ v *C.struct_ctest_value }

// Hold copies the value at v to C memory.
func Hold(v unsafe.Pointer) Held { return Held{C.ctest_hold((*C.struct_ctest_value)(v))} }

// Pointer returns the address of the value.
func (h Held) Pointer() unsafe.Pointer { return unsafe.Pointer(h.v) }

// Reset resets the value as C does.
func (h Held) Reset() { C.ctest_reset(h.v) }

// Free frees the memory of the value itself.
func (h Held) Free() { C.free(unsafe.Pointer(h.v)) }

// Sum32 adds the elements of an array of int32.
func (h Held) Sum32() int64 { return int64(C.ctest_sum32(h.v)) }

// Strlen16 counts the code units before the first zero.
func (h Held) Strlen16() int { return int(C.ctest_strlen16(h.v)) }

// MakeString makes the value at v a string of C, with n code units of size bytes.
func MakeString(v unsafe.Pointer, flags uint8, units unsafe.Pointer, n, size int) {
	C.ctest_make_string((*C.struct_ctest_value)(v), C.uint8_t(flags), units, C.uint32_t(n), C.size_t(size))
}

// Cleanups returns how many values of MakeString have been cleaned up.
func Cleanups() int { return int(C.ctest_cleanups()) }

// Cleanup is called by C to clean up a value of Go. A test sets it before C may call it.
var Cleanup func(v unsafe.Pointer)

// CleanupAddress returns the address of a C function that calls Cleanup.
func CleanupAddress() uintptr { return uintptr(C.ctest_go_cleanup()) }

// Call calls a C cleanup function.
func Call(cleanup, typ uintptr, bits uint64, custom uintptr, length uint32) {
	C.ctest_call(C.uintptr_t(cleanup), C.uintptr_t(typ), C.uint64_t(bits), C.uintptr_t(custom), C.uint32_t(length))
}

//export ctestCleanup
func ctestCleanup(v *C.struct_ctest_value) { Cleanup(unsafe.Pointer(v)) }
