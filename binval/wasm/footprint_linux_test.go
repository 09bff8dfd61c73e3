package wasm

import (
	"encoding/binary"
	"os"
	"testing"
	"unsafe"
)

// written returns how much memory of the instances in use is their own: the pages that they have touched and don't share.
func written(t *testing.T, m *Module) (n int64) {
	t.Helper()
	const entry, file, present = 8, 1 << 61, 1 << 63 // see the kernel's documentation of pagemap
	pages, err := os.Open("/proc/self/pagemap")
	if err != nil {
		t.Fatal(err)
	}
	defer pages.Close()
	size := os.Getpagesize()
	for s := range m.watch.watched {
		mapped := s.in.linear.mapped
		if len(s.in.linear.whole) > len(mapped) {
			t.Fatal("the memory isn't mapped")
		}
		entries := make([]byte, len(mapped)/size*entry)
		at := uintptr(unsafe.Pointer(unsafe.SliceData(mapped))) / uintptr(size) * entry
		if _, err := pages.ReadAt(entries, int64(at)); err != nil {
			t.Fatal(err)
		}
		for len(entries) > 0 {
			if binary.NativeEndian.Uint64(entries)&(file|present) == present {
				n += int64(size)
			}
			entries = entries[entry:]
		}
	}
	return n
}
