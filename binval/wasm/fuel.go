package wasm

import (
	"bytes"
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The runtime's own way to stop code costs a goroutine for each call, and a call of Go for each iteration of a loop. Instead, each function
// and each iteration of a loop of a guest begins with code that uses up fuel, a number in a global variable that the guest doesn't know of.
// When no fuel is left, the code calls the host, which may stop the guest. Otherwise the code fills the tank again.
//
// Code is paid for at the beginning of its function or iteration: one unit, and another unit for each 64 bytes of code, but at most a tank.
// Each instruction for which dear is called costs a quarter of a tank more.
const (
	tank     = 10_000
	ofBlocks = tank / 4
	perUnit  = 64
)

const (
	fuelOf   = "futoin fuel"
	fuelName = "check"
)

// provideFuel makes the function that code calls when its fuel is used up.
func provideFuel(ctx context.Context, r wazero.Runtime) error {
	_, err := r.NewHostModuleBuilder(fuelOf).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(func(ctx context.Context, _ []uint64) {
			if c, ok := ctx.(*guestContext); ok {
				c.in.check()
			}
		}), nil, nil).Export(fuelName).Instantiate(ctx)
	return err
}

type numbersOf struct {
	types, imports, functions, globals uint32
	memory                             bool   // the module has a memory of its own
	shares                             bool   // the module imports tables or globals
	widest                             uint32 // the largest number of parameters and results that one type has

	fuel  bool    // whether code uses up fuel
	plain []int8  // for each type, the result of plain
	notes []noted // imports whose calls are noted
}

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

// ranks holds the place of each section in the order of sections, by its id.
var ranks = [...]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9, 12: 10, 10: 11, 11: 12}

type part struct {
	id      byte
	content []byte
}

// findings holds what Load has to know of a module before it is compiled.
type findings struct {
	effort effort
	shares bool // the module imports tables or globals
	notes  bool // the module's code notes calls
}

// rewritten returns the module with code that writes notes and, if fuel is set, uses up fuel. ok is false if the module isn't understood.
func rewritten(module []byte, fuel bool) (out []byte, found findings, ok bool) {
	parts, ok := split(module)
	if !ok {
		return nil, found, false
	}
	n := numbersOf{fuel: fuel}
	for _, p := range parts {
		if !n.count(p) {
			return nil, found, false
		}
	}
	if fuel {
		parts = completed(parts, typeSection, importSection, globalSection)
	}
	if !n.memory {
		n.notes = nil
	}
	if len(n.notes) > 0 {
		parts = completed(parts, functionSection, codeSection)
	}
	found.shares, found.notes = n.shares, len(n.notes) > 0
	b := bytes.NewBuffer(module[:header:header])
	for _, p := range parts {
		content, e, ok := n.rewritten(p)
		if !ok {
			return nil, found, false
		}
		found.effort += e
		b.WriteByte(p.id)
		putSized(b, content)
	}
	return b.Bytes(), found, true
}

const header = 8

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

func completed(parts []part, ids ...byte) []part {
	for _, id := range ids {
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

func (n *numbersOf) count(p part) bool {
	r := reader{b: p.content}
	switch p.id {
	case typeSection:
		n.types = r.number()
		for count := n.types; count > 0 && !r.bad; count-- {
			r.byte()
			parameters := r.sized()
			results := r.sized()
			n.widest = max(n.widest, uint32(len(parameters)+len(results)))
			n.plain = append(n.plain, plain(parameters, results))
		}
	case importSection:
		for count := r.number(); count > 0 && !r.bad; count-- {
			from, name := string(r.sized()), string(r.sized())
			if from == fuelOf {
				return false
			}
			switch r.byte() {
			case 0:
				n.note(from, name, r.number())
				n.imports++
			case 1:
				r.bad = r.bad || !isReference(r.byte())
				r.limits()
				n.shares = true
			case 2:
				r.limits()
			case 3:
				r.bad = r.bad || !isValue(r.byte())
				r.byte()
				n.globals++
				n.shares = true
			default:
				return false
			}
		}
	case functionSection:
		n.functions = r.number()
	case memorySection:
		n.memory = r.number() > 0
	case globalSection:
		n.globals += r.number()
	}
	return !r.bad
}

// own returns how many types, imported functions and global variables are added for fuel: one of each, or none without fuel.
func (n *numbersOf) own() uint32 { return boolean(n.fuel) }

func (n *numbersOf) rewritten(p part) (content []byte, e effort, ok bool) {
	w := rewriter{reader: reader{b: p.content}, numbersOf: *n}
	switch p.id {
	case typeSection:
		w.each(n.own(), w.functionType)
		if n.fuel {
			w.write(0x60, 0, 0)
		}
	case importSection:
		w.more(n.own())
		w.rest()
		if n.fuel {
			w.text(fuelOf)
			w.text(fuelName)
			w.write(0)
			w.put(n.types)
		}
	case functionSection:
		w.each(uint32(len(n.notes)), func() { w.same() })
		w.typesOfNotes()
	case tableSection:
		w.tables()
	case memorySection:
		w.each(0, w.bounds)
	case globalSection:
		w.each(n.own(), w.global)
		if n.fuel {
			w.write(0x7f, 1, 0x41)
			w.write(padded(tank)...)
			w.write(0x0b)
		}
	case exportSection:
		w.each(0, w.export)
	case startSection:
		w.function()
	case elementSection:
		w.each(0, w.elements)
	case codeSection:
		w.each(uint32(len(n.notes)), w.body)
		w.codeOfNotes()
	case dataSection:
		w.each(0, w.data)
	case customSection:
		content, ok = n.custom(p.content)
		return content, 0, ok
	default:
		return p.content, 0, true
	}
	return w.out.Bytes(), w.effort, !w.bad && len(w.b) == 0
}
