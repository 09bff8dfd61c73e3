package wasm

import "encoding/binary"

func (w *rewriter) body() {
	in := rewriter{reader: reader{b: w.sized()}, numbersOf: w.numbersOf}
	size, variables := len(in.b), 0.0
	for groups := in.more(0); groups > 0 && !in.bad; groups-- {
		variables += float64(in.same())
		in.valueType()
	}
	if in.fuel {
		end := in.burn()
		begin := in.out.Len()
		in.instructions(true)
		in.pay(end, in.out.Len()-begin)
	} else {
		in.instructions(false)
	}
	w.bad = w.bad || in.bad || len(in.b) > 0
	w.effort.add(in.counts.effort(size, variables, w.widest))
	putSized(&w.out, in.out.Bytes())
}

// expression copies the constant value of a global variable, an offset or an element.
func (w *rewriter) expression() { w.instructions(false) }

// burn writes code that uses up fuel. It returns the offset of the price in the output, where pay stores the price.
func (w *rewriter) burn() (price int) {
	fuel := binary.AppendUvarint(nil, uint64(w.globals))
	w.write(0x23) // fuel -= price
	w.write(fuel...)
	w.write(0x41)
	price = w.out.Len()
	w.write(0, 0, 0, 0, 0, 0x6b, 0x24)
	w.write(fuel...)
	w.write(0x23) // if fuel < 0
	w.write(fuel...)
	w.write(0x41, 0, 0x48, 0x04, 0x40, 0x10)
	w.put(w.imports) // check()
	w.write(0x41)
	w.write(padded(tank)...)
	w.write(0x24) // fuel = tank
	w.write(fuel...)
	w.write(0x0b)
	return price
}

func (w *rewriter) pay(price, size int) { w.price(price, 1+size/perUnit) }

func (w *rewriter) price(at, units int) {
	copy(w.out.Bytes()[at:], padded(uint32(min(units, tank))))
}

type opened struct {
	loop  bool
	price int // for a loop that uses up fuel, the offset of its price in the output; otherwise 0
	begin int
}

// instructions copies instructions up to the end of their block. If burns is set, it adds code that uses up fuel to loops and to the
// instructions for which it calls dear.
func (w *rewriter) instructions(burns bool) {
	open := []opened{{}}
	for len(open) > 0 && !w.bad {
		op := w.byte()
		switch op {
		case opBlock, opLoop, opIf:
			w.write(op)
			w.blockType()
			o := opened{loop: op == opLoop}
			w.counts.begin(o.loop)
			if o.loop && burns {
				o.price = w.burn()
				o.begin = w.out.Len()
			}
			open = append(open, o)
			continue
		case opEnd:
			o := open[len(open)-1]
			if o.price > 0 {
				w.pay(o.price, w.out.Len()-o.begin)
			}
			w.counts.end(o.loop)
			open = open[:len(open)-1]
			w.write(op)
			continue
		case opMemoryGrow:
			w.dear(burns)
		case opMore:
			ahead := w.reader
			if sub := ahead.number(); sub >= firstOfBlocks {
				w.dear(burns)
			}
		}
		w.write(op)
		w.immediates(op)
	}
}

// dear is called before memory.grow, memory.init and the instructions of opMore with higher numbers. It counts the branches that the
// runtime generates for the instruction, and if burns is set it writes code that pays for the instruction.
func (w *rewriter) dear(burns bool) {
	if burns {
		w.price(w.burn(), ofBlocks)
	}
	w.counts.apart(branchesOfBlocks)
}

const (
	opBlock      = 0x02
	opLoop       = 0x03
	opIf         = 0x04
	opElse       = 0x05
	opEnd        = 0x0b
	opBrTable    = 0x0e
	opCall       = 0x10
	opIndirect   = 0x11
	opSelect     = 0x1c
	opLocalGet   = 0x20
	opLocalSet   = 0x21
	opLocalTee   = 0x22
	opGlobalGet  = 0x23
	opGlobalSet  = 0x24
	opMemoryGrow = 0x40
	opReturn     = 0x0f
	opBranchIf   = 0x0d
	opLoad       = 0x28
	opStore      = 0x36
	opNumber     = 0x41
	opIsZero     = 0x45
	opNotEqual   = 0x47
	opNotLess    = 0x4f
	opAdd        = 0x6a
	opMultiply   = 0x6c
	opRefFunc    = 0xd2
	opMore       = 0xfc
	opVector     = 0xfd

	firstOfBlocks = 8 // of opMore: memory.init
)

// immediates copies the immediates of an instruction. It knows the instructions of version 2 of WebAssembly.
func (w *rewriter) immediates(op byte) {
	switch {
	case op == opCall, op == opRefFunc:
		w.counts.calls++
		w.function()
	case op == opGlobalGet, op == opGlobalSet:
		if w.same() >= w.globals {
			w.bad = true // the number is that of the fuel, or of no global variable
		}
	case op == opBrTable:
		for n := w.more(0); n > 0 && !w.bad; n-- {
			w.same()
			w.counts.apart(1)
		}
		w.same()
		w.counts.apart(1)
	case op == opSelect:
		w.each(0, w.valueType)
	case op == opMore:
		w.moreOf()
	case op == opVector:
		w.vector()
	case op == 0x0c, op == 0x0d:
		w.same()
		w.counts.apart(1)
	case op == opLocalGet:
		w.counts.read(w.same())
	case op == opLocalSet, op == opLocalTee:
		w.counts.wrote(w.same())
	case op == 0x25, op == 0x26, op == 0x3f, op == opMemoryGrow:
		w.same()
	case op == opIndirect:
		w.same()
		w.same()
		w.counts.calls++
		w.counts.apart(1)
	case op >= 0x28 && op <= 0x3e:
		w.same()
		w.same()
	case op == 0x41, op == 0x42:
		w.long()
	case op == 0xd0:
		w.referenceType()
	case op == 0x43:
		w.copy(4)
	case op == 0x44:
		w.copy(8)
	case op == opElse:
		w.counts.apart(1)
	case op <= 0x01, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	default:
		w.bad = true
	}
}

const (
	typeOfExterns   = 0x6f
	typeOfFunctions = 0x70
	firstOfNumbers  = 0x7b
	lastOfNumbers   = 0x7f
)

func isReference(t byte) bool { return t == typeOfFunctions || t == typeOfExterns }

func isValue(t byte) bool { return t >= firstOfNumbers && t <= lastOfNumbers || isReference(t) }

// valueType copies the type of a value. It refuses the types of later versions of WebAssembly.
func (w *rewriter) valueType() { w.typed(isValue) }

func (w *rewriter) referenceType() { w.typed(isReference) }

func (w *rewriter) typed(known func(byte) bool) {
	t := w.byte()
	w.bad = w.bad || !known(t)
	w.write(t)
}

func (w *rewriter) blockType() {
	const nothing, sign, further = 0x40, 0x40, 0x80
	size := 1
	for size < len(w.b) && w.b[size-1] >= further {
		size++
	}
	switch {
	case len(w.b) == 0:
		w.bad = true
	case w.b[0] == nothing, w.b[size-1]&sign == 0:
		w.long()
	default:
		w.valueType()
	}
}

func (w *rewriter) moreOf() {
	switch sub := w.short(); sub {
	case 0, 1, 2, 3, 4, 5, 6, 7:
	case 9, 11, 13, 15, 16, 17:
		w.same()
	case 8, 10, 12, 14:
		w.same()
		w.same()
	default:
		w.bad = true
	}
}

func (w *rewriter) vector() {
	const last = 0x113
	switch sub := w.short(); {
	case sub <= 11, sub == 92, sub == 93: // loads and stores
		w.same()
		w.same()
	case sub == 12, sub == 13: // with the 16 bytes of a vector
		w.copy(16)
	case sub >= 21 && sub <= 34: // with the number of a lane
		w.copy(1)
	case sub >= 84 && sub <= 91: // loads and stores of a lane
		w.same()
		w.same()
		w.copy(1)
	case sub > last:
		w.bad = true
	}
}

// short copies the number of an instruction. A number below 128 that is encoded in more than one byte is refused, because the runtime takes
// some of these for other instructions.
func (w *rewriter) short() uint32 {
	before := len(w.b)
	n := w.same()
	w.bad = w.bad || n < 0x80 && before-len(w.b) > 1
	return n
}

func (w *rewriter) long() {
	const most = 10
	for n := range min(len(w.b), most) {
		if w.b[n] < 0x80 {
			w.copy(uint32(n) + 1)
			return
		}
	}
	w.bad = true
}
