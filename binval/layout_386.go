//go:build 386 && !windows

package binval

// unionAlign is the alignment of a union with 64-bit members: the System V ABI of
// i386 aligns it like a word. A Value has 20 bytes there.
const unionAlign = 4
