package wasm

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The runtime can stop code by a goroutine for each call, and a call of Go for each turn of a loop. Instead of that, each
// function and each turn of a loop of a guest begins with code that uses up fuel, a number in a global variable that the
// guest doesn't know of. When there is none left, the code calls the host, which stops it or lets it have a full tank.
//
// A tank lasts for some hundred microseconds. Everything that is executed was paid for by the begin of the function, or of
// the turn of the loop, that it is in: a unit for 64 bytes of code. Instructions on blocks of memory cost a quarter of a tank.
const (
	tank     = 10_000
	ofBlocks = tank / 4
	perUnit  = 64
)

// The import that fueled adds.
const (
	fuelOf   = "futoin fuel"
	fuelName = "check"
)

// provideFuel makes the function that code without fuel calls.
func provideFuel(ctx context.Context, r wazero.Runtime) error {
	_, err := r.NewHostModuleBuilder(fuelOf).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(func(ctx context.Context, _ []uint64) {
			if c, ok := ctx.(*guestContext); ok {
				if why := c.in.cause.Load(); why != nil {
					panic(*why)
				}
			}
		}), nil, nil).Export(fuelName).Instantiate(ctx)
	return err
}

// numbersOf are the numbers of things in a module before fueled has added to it.
type numbersOf struct{ types, imports, globals uint32 }

// The sections of a module by their ids.
const (
	customSection   = 0
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	tableSection    = 4
	memorySection   = 5
	globalSection   = 6
	exportSection   = 7
	startSection    = 8
	elementSection  = 9
	codeSection     = 10
	dataSection     = 11
)

// ranks hold the place of each section in the order of sections, by its id.
var ranks = [...]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9, 12: 10, 10: 11, 11: 12}

// part is a section of a module.
type part struct {
	id      byte
	content []byte
}

// fueled returns a module whose code uses up fuel. ok is false if the module isn't understood.
func fueled(module []byte) (out []byte, ok bool) {
	parts, ok := split(module)
	if !ok {
		return nil, false
	}
	parts = completed(parts)
	var n numbersOf
	for _, p := range parts {
		if !n.count(p) {
			return nil, false
		}
	}
	b := bytes.NewBuffer(module[:header:header])
	for _, p := range parts {
		content, ok := n.rewritten(p)
		if !ok {
			return nil, false
		}
		b.WriteByte(p.id)
		putSized(b, content)
	}
	return b.Bytes(), true
}

const header = 8

// split returns the sections of a module.
func split(module []byte) (parts []part, ok bool) {
	if len(module) < header {
		return nil, false
	}
	r := reader{b: module[header:]}
	last := 0
	for len(r.b) > 0 {
		p := part{r.byte(), r.sized()}
		if r.bad {
			return nil, false
		}
		if p.id != customSection {
			if int(p.id) >= len(ranks) || ranks[p.id] <= last {
				return nil, false // unknown, twice or not in order
			}
			last = ranks[p.id]
		}
		parts = append(parts, p)
	}
	return parts, true
}

// completed adds the sections that fueled needs, where they are missing.
func completed(parts []part) []part {
	for _, id := range []byte{typeSection, importSection, globalSection} {
		at := 0
		for k, p := range parts {
			if p.id != customSection && ranks[p.id] <= ranks[id] {
				at = k + 1
			}
		}
		if at == 0 || parts[at-1].id != id {
			parts = append(parts[:at:at], append([]part{{id, []byte{0}}}, parts[at:]...)...)
		}
	}
	return parts
}

// count adds the types, imports and globals of a section.
func (n *numbersOf) count(p part) bool {
	r := reader{b: p.content}
	switch p.id {
	case typeSection:
		n.types = r.number()
	case importSection:
		for count := r.number(); count > 0 && !r.bad; count-- {
			if string(r.sized()) == fuelOf {
				return false
			}
			r.sized()
			switch r.byte() {
			case 0:
				r.number()
				n.imports++
			case 1:
				r.bad = r.bad || !isReference(r.byte())
				r.limits()
			case 2:
				r.limits()
			case 3:
				r.bad = r.bad || !isValue(r.byte())
				r.byte()
				n.globals++
			default:
				return false
			}
		}
	case globalSection:
		n.globals += r.number()
	}
	return !r.bad
}

// rewritten returns the new content of a section.
func (n *numbersOf) rewritten(p part) (content []byte, ok bool) {
	w := rewriter{reader: reader{b: p.content}, numbersOf: *n}
	switch p.id {
	case typeSection:
		w.each(1, w.functionType)
		w.write(0x60, 0, 0)
	case importSection:
		w.more(1)
		w.rest()
		w.text(fuelOf)
		w.text(fuelName)
		w.write(0)
		w.put(n.types)
	case functionSection:
		w.each(0, func() { w.same() })
	case tableSection:
		w.tables()
	case memorySection:
		w.each(0, w.bounds)
	case globalSection:
		w.each(1, w.global)
		w.write(0x7f, 1, 0x41)
		w.write(padded(tank)...)
		w.write(0x0b)
	case exportSection:
		w.each(0, w.export)
	case startSection:
		w.function()
	case elementSection:
		w.each(0, w.elements)
	case codeSection:
		w.each(0, w.body)
	case dataSection:
		w.each(0, w.data)
	case customSection:
		return n.custom(p.content)
	default:
		return p.content, true
	}
	return w.out.Bytes(), !w.bad && len(w.b) == 0
}

// each copies a number of things, and the number of them plus extra.
func (w *rewriter) each(extra uint32, thing func()) {
	for count := w.more(extra); count > 0 && !w.bad; count-- {
		thing()
	}
}

// functionType copies the type of a function.
func (w *rewriter) functionType() {
	const function = 0x60
	w.bad = w.bad || w.byte() != function
	w.write(function)
	w.each(0, w.valueType) // parameters
	w.each(0, w.valueType) // results
}

// global copies a global variable.
func (w *rewriter) global() {
	w.valueType()
	w.copy(1) // whether it can be set
	w.expression()
}

// export copies an export.
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

// custom returns a custom section in which functions have their new numbers.
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

// names copies a part of the names of a module: those of functions, and of what functions have, begin with numbers.
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
	for count := w.more(0); count > 0 && !w.bad; count-- {
		w.function()
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
}

// mostElements is how many elements the tables of an instance may have together, of eight bytes each.
const mostElements = 1 << 20

// tables copies the tables. What they leave of mostElements they may grow by, each by the same part.
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

// bounds copies the limits of a memory.
func (w *rewriter) bounds() {
	least, most, bounded := w.limits()
	w.write(byte(boolean(bounded)))
	w.put(least)
	if bounded {
		w.put(most)
	}
}

// data copies one segment of data.
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

// elements copies one segment of elements.
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

// reader reads a module. After something that isn't there bad is true, and what it returns means nothing.
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

// number reads a number of at most 32 bits.
func (r *reader) number() uint32 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || size > 5 || n > 1<<32-1 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return uint32(n)
}

// sized reads a block that begins with its size.
func (r *reader) sized() []byte { return r.take(r.number()) }

// limits reads the least and the most size of a memory or a table. Shared memories aren't known.
func (r *reader) limits() (least, most uint32, bounded bool) {
	flags := r.byte()
	least = r.number()
	if bounded = flags == 1; bounded {
		most = r.number()
	}
	r.bad = r.bad || flags > 1
	return least, most, bounded
}

// rewriter copies a part of a module with other numbers of functions.
type rewriter struct {
	reader
	numbersOf
	out bytes.Buffer
}

func (w *rewriter) write(b ...byte) { w.out.Write(b) }
func (w *rewriter) put(n uint32)    { w.out.Write(binary.AppendUvarint(nil, uint64(n))) }
func (w *rewriter) text(s string)   { putSized(&w.out, []byte(s)) }

// copy copies n bytes.
func (w *rewriter) copy(n uint32) { w.out.Write(w.take(n)) }

// rest copies everything that is left.
func (w *rewriter) rest() { w.copy(uint32(len(w.b))) }

// block copies a block that begins with its size.
func (w *rewriter) block() { putSized(&w.out, w.sized()) }

// same copies a number.
func (w *rewriter) same() uint32 {
	n := w.number()
	w.put(n)
	return n
}

// more copies a number, and makes it greater.
func (w *rewriter) more(by uint32) uint32 {
	n := w.number()
	w.put(n + by)
	return n
}

// function copies the number of a function.
func (w *rewriter) function() {
	n := w.number()
	if n >= w.imports {
		n++
	}
	w.put(n)
}

func putSized(out *bytes.Buffer, block []byte) {
	out.Write(binary.AppendUvarint(nil, uint64(len(block))))
	out.Write(block)
}

// padded returns a number that isn't negative as a signed number of five bytes.
func padded(n uint32) []byte {
	return []byte{byte(n) | 0x80, byte(n>>7) | 0x80, byte(n>>14) | 0x80, byte(n>>21) | 0x80, byte(n>>28) & 0x7f}
}
