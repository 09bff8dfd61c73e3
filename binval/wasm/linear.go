package wasm

import (
	"runtime"
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental"
)

// linear is the memory of an instance. It is mapped from the system where that is possible. Then pages that weren't touched cost nothing,
// pages that the instance has only read may be shared with other instances of the module, and all pages are freed when the instance is
// closed. With memory of Go all pages would be touched, because Go clears memory that it uses again.
//
// It implements experimental.MemoryAllocator and experimental.LinearMemory.
type linear struct {
	image  *image          // nil if there is none
	most   uint64          // the largest size of whole
	whole  []byte          // the memory that the guest sees
	mapped []byte          // the mapping in which whole began; nil if it began in memory of Go
	lost   runtime.Cleanup // gives mapped back if free is never called
}

// Allocate implements experimental.MemoryAllocator. An instance has one memory.
func (l *linear) Allocate(_, most uint64) experimental.LinearMemory {
	l.most = most
	return l
}

// Reallocate implements experimental.LinearMemory. Memory that grows beyond the mapping becomes memory of Go. The mapping stays until the
// instance is closed, because values on their way between two steps may be in it.
func (l *linear) Reallocate(size uint64) []byte {
	switch {
	case l.whole == nil:
		l.begin(size)
	case size <= uint64(cap(l.whole)):
		l.whole = l.whole[:size]
	default:
		grown := make([]byte, size, max(size, min(l.most, 2*uint64(len(l.whole)))))
		copy(grown, l.whole)
		l.whole = grown
	}
	return l.whole
}

// begin makes the first memory. If there is an image, whose size shows how much the start functions ask for, the mapping has room for
// that much.
func (l *linear) begin(size uint64) {
	room := size
	if l.image != nil {
		room = max(size, min(l.most, l.image.size()))
	}
	if maps.Add(1) <= mostMaps {
		l.mapped = mmap(room)
	}
	if l.mapped == nil {
		maps.Add(-1)
		l.whole = make([]byte, size)
		return
	}
	l.whole = l.mapped[:size]
	l.lost = runtime.AddCleanup(l, giveBack, l.mapped)
}

// maps counts the memories that are mapped. A process may have 65,530 mappings on most systems, and Go needs some. Beyond mostMaps,
// memories are Go's.
var maps atomic.Int32

const mostMaps = 30_000

func giveBack(mapped []byte) {
	munmap(mapped)
	maps.Add(-1)
}

// Free implements experimental.LinearMemory. It does nothing, because the runtime also calls it inside of calls of the guest.
func (l *linear) Free() {}

func (l *linear) free() {
	if l.mapped != nil {
		l.lost.Stop()
		giveBack(l.mapped)
	}
	l.whole, l.mapped = nil, nil
}

// share maps the image instead of the memory if their contents are equal. After an error the memory must not be used.
func (l *linear) share() error {
	if l.image == nil || l.mapped == nil || len(l.whole) != len(l.mapped) || !l.image.equal(l.whole) {
		return nil
	}
	return l.image.cover(l.mapped)
}
