//go:build !386 || windows

package binval

// unionAlign is the alignment of a union with 64-bit members. It is the size of
// these members on 64-bit machines, where a Value has 32 bytes, and on 32-bit ARM,
// MIPS and Windows, where a Value has 24 bytes.
const unionAlign = 8
