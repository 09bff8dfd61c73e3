//go:build !386 || windows

package binval

// unionAlign is the alignment of a union with 64-bit members: their size, on all
// machines of 64 bits, and of 32 bits on ARM, MIPS and Windows. The value has 32
// bytes on the former and 24 on the latter.
const unionAlign = 8
