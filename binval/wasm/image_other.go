//go:build !linux

package wasm

// file stands for nothing: memory isn't shared here.
type file struct{}

// mmap returns nil: memory is Go's here.
func mmap(uint64) []byte { return nil }

func munmap([]byte) {}

func (m *image) store() bool { return false }

func (m *image) cover([]byte) error { return nil }

func (m *image) free() {}
