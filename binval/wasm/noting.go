package wasm

import (
	"bytes"
)

// noted is an imported function whose calls are noted. In its place the module calls a function that rewritten adds.
type noted struct {
	function uint32 // the number of the import
	typ      uint32 // the number of the function's type
	index    int    // in notable
}

// plain returns the number of parameters of a function whose calls can be noted: it has at most four parameters, integers of 32 bits, and
// no results. It returns -1 for other functions.
func plain(parameters, results []byte) int8 {
	const most = 4
	if len(results) > 0 || len(parameters) > most || bytes.Count(parameters, []byte{lastOfNumbers}) != len(parameters) {
		return -1
	}
	return int8(len(parameters))
}

func (n *numbersOf) note(from, name string, typ uint32) {
	if from != importsOf || int64(typ) >= int64(len(n.plain)) {
		return
	}
	for k, f := range notable {
		if f.name == name && int(n.plain[typ]) == f.takes {
			n.notes = append(n.notes, noted{n.imports, typ, k})
		}
	}
}

func (n *numbersOf) firstNote() uint32 { return n.imports + n.own() + n.functions }

func (w *rewriter) typesOfNotes() {
	for _, f := range w.notes {
		w.put(f.typ)
	}
}

// namesOfNotes writes the names of the functions that are added for notes, which are those of the imports.
func (w *rewriter) namesOfNotes() {
	for k, f := range w.notes {
		w.put(w.firstNote() + uint32(k))
		w.text(importsOf + "." + notable[f.index].name)
	}
}

func (w *rewriter) codeOfNotes() {
	for _, f := range w.notes {
		code := rewriter{numbersOf: w.numbersOf}
		code.writesNote(f)
		putSized(&w.out, code.out.Bytes())
	}
}

// writesNote writes a function that notes a call of f if it can, and calls f otherwise:
//
//	at := as.notes
//	if at != 0 && as == at.owner && at.count < mostNotes {
//		count := at.count
//		at.count++
//		at += count * noteSize
//		*at = note{index, …}
//		return
//	}
//	f(as, …)
func (w *rewriter) writesNote(f noted) {
	takes := notable[f.index].takes
	as, at, count := byte(0), byte(takes), byte(takes+1)
	w.write(1, 2, lastOfNumbers) // two variables
	w.write(opBlock, 0x40)       // code that leaves the block calls f
	w.write(opLocalGet, as, opLoad, 0, peerNotes, opLocalTee, at, opIsZero, opBranchIf, 0)
	w.write(opLocalGet, as, opLocalGet, at, opLoad, 0, noteOwner, opNotEqual, opBranchIf, 0)
	w.write(opLocalGet, at, opLoad, 0, noteCount, opLocalTee, count, opNumber, mostNotes, opNotLess, opBranchIf, 0)
	w.write(opLocalGet, at, opLocalGet, count, opNumber, 1, opAdd, opStore, 0, noteCount)
	w.write(opLocalGet, at, opLocalGet, count, opNumber, noteSize, opMultiply, opAdd, opLocalTee, at)
	w.write(opNumber, byte(f.index), opStore, 0, noteFirst)
	for k := 1; k < takes; k++ {
		w.write(opLocalGet, at, opLocalGet, byte(k), opStore, 0, byte(noteFirst+4*k))
	}
	w.write(opReturn, opEnd)
	for k := range takes {
		w.write(opLocalGet, byte(k))
	}
	w.write(opCall)
	w.put(f.function)
	w.write(opEnd)
}
