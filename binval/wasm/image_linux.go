package wasm

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

type file = *os.File

// mmap returns n bytes that are zero, or nil if the system gives none.
func mmap(n uint64) []byte {
	b, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil
	}
	_ = unix.Madvise(b, unix.MADV_NOHUGEPAGE) // a huge page costs 2 MB for one byte; the call fails on systems without them
	return b
}

func munmap(b []byte) { _ = unix.Munmap(b) }

// store makes the file of the image, with holes for zeros, and reports whether that was possible.
func (m *image) store() bool {
	fd, err := unix.MemfdCreate("guest", unix.MFD_CLOEXEC)
	if err != nil {
		return false
	}
	m.file = os.NewFile(uintptr(fd), "guest")
	err = m.file.Truncate(int64(m.size()))
	for k, part := range m.parts {
		if err == nil && part != nil {
			_, err = m.file.WriteAt(part, int64(k)*partSize)
		}
	}
	if err != nil {
		m.free()
	}
	return err == nil
}

// cover maps the file, copied on write, in place of b, which has the same length. After an error b must not be used.
func (m *image) cover(b []byte) error {
	_, err := unix.MmapPtr(int(m.file.Fd()), 0, unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED)
	return err
}

// free closes the file. What is mapped from it stays.
func (m *image) free() {
	if m != nil {
		_ = m.file.Close()
	}
}
