//go:build !386 || windows

package binval

// unionAlign is the alignment of a union with 64-bit members: their size, on
// 64-bit machines, where the value has 32 bytes, and on 32-bit ARM, MIPS and
// Windows, where it has 24.
const unionAlign = 8
