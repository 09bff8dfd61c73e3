package wasm

import (
	"encoding/binary"

	"github.com/futoin-go/asyncsteps/fault"
)

// So that guests call the host less often, calls of some functions without results are noted: code that Load has put into the guest writes
// them to memory of the guest, and the host makes them before the next call of the table that leaves the guest, or when the step returns.
// Only calls by the code of a step with its own pointer are noted. The host checks notes like calls: the guest may have written the notes
// itself.

// The layout of notes in the guest's memory, in numbers of 32 bits: the pointer of the step, how many notes there are, and the notes, each
// with the number of the function in notable and three arguments.
const (
	noteOwner = 0
	noteCount = 4
	noteFirst = 8
	noteSize  = 16
	mostNotes = 8
	notesSize = noteFirst + mostNotes*noteSize

	notesClosed = 1<<32 - 1 // in place of the number of notes: no calls are noted
)

var notable = [...]struct {
	name  string
	takes int
	run   func(p *peer, a []uint32) uint32
}{
	{"add", 4, add}, {"setTimeout", 2, setTimeout}, {"setCancel", 3, setCancel}, {"waitExternal", 1, waitExternal},
}

// layNotes allocates the guest's memory for notes, if the guest imports one of notable.
func (i *instance) layNotes() error {
	if !i.mod.notes {
		return nil
	}
	at, err := i.guest(opAlloc, 0, notesSize, 0, 0)
	if err != nil || at == 0 {
		return err
	}
	if uint64(at)+notesSize > uint64(len(i.linear.whole)) {
		return invalid("the allocator of the module gives memory outside of its memory")
	}
	i.notes = at
	i.closeNotes()
	return nil
}

func (i *instance) openNotes(p *peer) {
	i.noting = p
	if i.notes != 0 {
		binary.LittleEndian.PutUint64(i.bytes(i.notes, noteFirst), uint64(p.at))
	}
}

func (i *instance) closeNotes() {
	i.noting = nil
	if i.notes != 0 {
		i.store(i.notes+noteCount, notesClosed)
	}
}

func (i *instance) readNotes() {
	if i.notes == 0 || i.noting == nil {
		return
	}
	if n := i.load(i.notes + noteCount); n > 0 {
		i.obey(n)
	}
}

func (i *instance) obey(n uint32) {
	p := i.noting
	i.store(i.notes+noteCount, 0)
	if n > mostNotes {
		refuse(fault.InternalError, "the guest has written to memory of the host")
	}
	a := &i.stacks.noted
	for k := range n {
		b := i.bytes(i.notes+noteFirst+k*noteSize, noteSize) // a call may have grown the memory
		number := binary.LittleEndian.Uint32(b)
		a[0], a[1] = p.at, binary.LittleEndian.Uint32(b[4:])
		a[2], a[3] = binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])
		if number >= uint32(len(notable)) {
			refuse(fault.InternalError, "the guest has written to memory of the host")
		}
		notable[number].run(p, a[:])
	}
}
