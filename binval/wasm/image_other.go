//go:build !linux

package wasm

type file struct{}

func mmap(uint64) []byte { return nil }

func munmap([]byte) {}

func (m *image) store() bool { return false }

func (m *image) cover([]byte) error { return nil }

func (m *image) free() {}
