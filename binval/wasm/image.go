package wasm

import "bytes"

// image is the memory with which instances of a module begin their first run. Instances whose memory equals it share it.
type image struct {
	parts [][]byte // of partSize bytes each; nil stands for zeros
	file  file
}

const partSize = 4096

var zeros [partSize]byte

// imageOf returns the image of a memory, or nil if the memory has only zeros or the system can't share an image.
func imageOf(whole []byte) *image {
	m := &image{parts: make([][]byte, len(whole)/partSize)}
	empty := true
	for k := range m.parts {
		if part := whole[k*partSize:][:partSize]; !bytes.Equal(part, zeros[:]) {
			m.parts[k] = bytes.Clone(part)
			empty = false
		}
	}
	if empty || !m.store() {
		return nil
	}
	return m
}

func (m *image) size() uint64 { return uint64(len(m.parts)) * partSize }

func (m *image) equal(whole []byte) bool {
	if uint64(len(whole)) != m.size() {
		return false
	}
	for k, part := range m.parts {
		if part == nil {
			part = zeros[:]
		}
		if !bytes.Equal(whole[k*partSize:][:partSize], part) {
			return false
		}
	}
	return true
}
