package wasm

import (
	"bytes"
	"encoding/binary"
	"math"
)

// reader reads a module. When it has been asked for more than there is, or has found something invalid, bad is true, and what its methods
// return means nothing.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n uint32) []byte {
	if uint64(n) > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	taken := r.b[:n:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) number() uint32 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || size > 5 || n > 1<<32-1 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return uint32(n)
}

func (r *reader) sized() []byte { return r.take(r.number()) }

// limits reads the least and the greatest size of a memory or a table. It refuses flags of later versions, such as that of a shared memory.
func (r *reader) limits() (least, most uint32, bounded bool) {
	flags := r.byte()
	least = r.number()
	if bounded = flags == 1; bounded {
		most = r.number()
	}
	r.bad = r.bad || flags > 1
	return least, most, bounded
}

type rewriter struct {
	reader
	numbersOf
	out    bytes.Buffer
	counts counts // of the function that is copied
	effort effort // for the functions that were copied
}

func (w *rewriter) write(b ...byte) { w.out.Write(b) }
func (w *rewriter) put(n uint32)    { w.out.Write(binary.AppendUvarint(nil, uint64(n))) }
func (w *rewriter) text(s string)   { putSized(&w.out, []byte(s)) }

func (w *rewriter) copy(n uint32) { w.out.Write(w.take(n)) }

func (w *rewriter) rest() { w.copy(uint32(len(w.b))) }

func (w *rewriter) block() { putSized(&w.out, w.sized()) }

func (w *rewriter) same() uint32 {
	n := w.number()
	w.put(n)
	return n
}

// more copies a number, increased by the given amount, and returns the number as it was.
func (w *rewriter) more(by uint32) uint32 {
	n := w.number()
	w.put(n + by)
	return n
}

func (w *rewriter) each(extra uint32, thing func()) {
	for count := w.more(extra); count > 0 && !w.bad; count-- {
		thing()
	}
}

// function copies the number of a function, converted to that in the new module. The number of a noted import becomes that of the function
// that notes its calls.
func (w *rewriter) function() {
	n := w.number()
	w.bad = w.bad || n > math.MaxInt32
	switch {
	case n >= w.imports+w.functions: // there is no such function, which the runtime reports
		n += w.own() + uint32(len(w.notes))
	case n >= w.imports:
		n += w.own()
	default:
		for k, f := range w.notes {
			if f.function == n {
				n = w.firstNote() + uint32(k)
				break
			}
		}
	}
	w.put(n)
}

func putSized(out *bytes.Buffer, block []byte) {
	out.Write(binary.AppendUvarint(nil, uint64(len(block))))
	out.Write(block)
}

// padded returns n as a signed number of five bytes.
func padded(n uint32) []byte {
	return []byte{byte(n) | 0x80, byte(n>>7) | 0x80, byte(n>>14) | 0x80, byte(n>>21) | 0x80, byte(n>>28) & 0x7f}
}
