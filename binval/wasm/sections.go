package wasm

import "math"

func (w *rewriter) functionType() {
	const function = 0x60
	w.bad = w.bad || w.byte() != function
	w.write(function)
	w.each(0, w.valueType) // parameters
	w.each(0, w.valueType) // results
}

func (w *rewriter) global() {
	w.valueType()
	w.copy(1) // whether the global can be set
	w.expression()
}

func (w *rewriter) export() {
	w.block()
	kind := w.byte()
	w.write(kind)
	if kind == 0 {
		w.function()
	} else {
		w.same()
	}
}

func (n *numbersOf) custom(content []byte) (out []byte, ok bool) {
	w := rewriter{reader: reader{b: content}, numbersOf: *n}
	if name := w.sized(); string(name) != "name" {
		return content, !w.bad
	}
	w.text("name")
	for len(w.b) > 0 && !w.bad {
		id := w.byte()
		inner := rewriter{reader: reader{b: w.sized()}, numbersOf: *n}
		inner.names(id)
		w.bad = w.bad || inner.bad
		w.write(id)
		putSized(&w.out, inner.out.Bytes())
	}
	return w.out.Bytes(), !w.bad
}

// names copies a part of the names of a module. Names of functions, locals and labels come after the number of their function, which
// rewriting changes.
func (w *rewriter) names(id byte) {
	const module, functions, locals, labels = 0, 1, 2, 3
	if id == module {
		w.block()
		w.bad = w.bad || len(w.b) > 0
		return
	}
	if id != functions && id != locals && id != labels {
		w.rest()
		return
	}
	extra := 0
	if id == functions {
		extra = len(w.notes)
	}
	for count := w.more(uint32(extra)); count > 0 && !w.bad; count-- {
		n := w.number()
		w.bad = w.bad || n > math.MaxInt32
		if n >= w.imports+w.functions {
			n += uint32(len(w.notes))
		}
		if n >= w.imports {
			n += w.own()
		}
		w.put(n)
		if id == functions {
			w.block()
			continue
		}
		for inner := w.more(0); inner > 0 && !w.bad; inner-- {
			w.same()
			w.block()
		}
	}
	w.bad = w.bad || len(w.b) > 0
	if id == functions {
		w.namesOfNotes()
	}
}

// mostElements is how many elements the tables of an instance may have together.
const mostElements = 1 << 20

// tables copies the tables, and limits how far they may grow. The elements that their least sizes leave of mostElements are divided
// equally among them.
func (w *rewriter) tables() {
	first := w.reader
	room, count := uint64(mostElements), w.number()
	for range count {
		w.byte()
		least, _, _ := w.limits()
		if w.bad || uint64(least) > room {
			w.bad = true
			return
		}
		room -= uint64(least)
	}
	w.reader = first
	for range w.more(0) {
		w.referenceType()
		least, most, bounded := w.limits()
		if whole := uint64(least) + room/uint64(count); !bounded || uint64(most) > whole {
			most = uint32(whole)
		}
		w.write(1)
		w.put(least)
		w.put(most)
	}
}

func (w *rewriter) bounds() {
	least, most, bounded := w.limits()
	w.write(byte(boolean(bounded)))
	w.put(least)
	if bounded {
		w.put(most)
	}
}

func (w *rewriter) data() {
	const passive, explicit = 1, 2
	switch flags := w.same(); flags {
	case 0:
		w.expression()
	case passive:
	case explicit:
		w.same()
		w.expression()
	default:
		w.bad = true
	}
	w.block()
}

func (w *rewriter) elements() {
	const passive, explicit, expressions = 1, 2, 4
	flags := w.same()
	if flags > passive|explicit|expressions {
		w.bad = true
		return
	}
	if flags&passive == 0 {
		if flags&explicit != 0 {
			w.same()
		}
		w.expression()
	}
	switch {
	case flags&(passive|explicit) == 0:
	case flags&expressions != 0:
		w.referenceType()
	default:
		w.same() // the kind of elements, 0: functions
	}
	for count := w.more(0); count > 0 && !w.bad; count-- {
		if flags&expressions != 0 {
			w.expression()
		} else {
			w.function()
		}
	}
}
