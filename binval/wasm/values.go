package wasm

import (
	"encoding/binary"
	"math"

	"github.com/futoin-go/asyncsteps/binval"
)

// raw is a FutoInBinaryValue of the guest.
type raw struct {
	typ    uint32
	union  uint64
	data   uint32
	length uint32
}

func (i *instance) loadValue(at uint32) raw {
	b := i.bytes(at, valueSize)
	return raw{
		typ: binary.LittleEndian.Uint32(b[valueType:]), union: binary.LittleEndian.Uint64(b[valueUnion:]),
		data: binary.LittleEndian.Uint32(b[valueData:]), length: binary.LittleEndian.Uint32(b[valueLen:]),
	}
}

func (i *instance) storeValue(at uint32, v raw) {
	b := i.bytes(at, valueSize)
	clear(b)
	binary.LittleEndian.PutUint32(b[valueType:], v.typ)
	binary.LittleEndian.PutUint64(b[valueUnion:], v.union)
	binary.LittleEndian.PutUint32(b[valueData:], v.data)
	binary.LittleEndian.PutUint32(b[valueLen:], v.length)
}

// lent is a value of the guest on its way between two steps. It implements binval.Owner.
type lent struct {
	in      *instance
	raw     raw
	cleanup uint32       // the guest's function that resets the value; 0 if there is none
	value   binval.Value // stands for the guest's value in the host; a copy of what the plan has
	bad     error        // why the host can't read the value's memory, or nil
	passed  bool         // a step of the guest has got the value back
}

// Release implements binval.Owner. The guest cleans the value up, unless it has got it back.
func (l *lent) Release() {
	i := l.in
	if _, ok := i.lents[l]; !ok {
		return
	}
	delete(i.lents, l)
	i.drop()
	if !l.passed && l.cleanup != 0 && i.dead == nil {
		i.reset(l.raw, l.cleanup)
	}
}

func (i *instance) reset(v raw, cleanup uint32) {
	var at uint32
	if n := len(i.scratch); n > 0 {
		at = i.scratch[n-1]
		i.scratch = i.scratch[:n-1]
	} else {
		at = i.alloc(valueSize)
	}
	i.storeValue(at, v)
	i.must(i.guest(opOne, cleanup, at, 0, 0))
	i.scratch = append(i.scratch, at)
}

// takeArgs takes the values of the guest's FutoInArgs, and leaves it empty.
func (i *instance) takeArgs(at uint32) (args binval.Args) {
	if at == 0 {
		return args
	}
	b := i.bytes(at, argsSize)
	for k := range args {
		if v := at + uint32(k)*valueSize; binary.LittleEndian.Uint32(b[k*valueSize:]) != 0 {
			args[k] = i.takeValue(i.loadValue(v))
			i.storeValue(v, raw{})
		}
	}
	return args
}

func (i *instance) takeValue(r raw) binval.Value {
	i.hold()
	t := i.bytes(r.typ, typeSize)
	l := &lent{in: i, raw: r, cleanup: binary.LittleEndian.Uint32(t[4:])}
	v, err := i.ownValue(l, binval.Flags(t[0]))
	if err != nil { // the guest may get the value back, but the host can't read it
		l.bad = err
		v, _ = binval.Own(binval.Custom, nil, 0, l)
	}
	l.value = v
	if i.lents == nil {
		i.lents = make(map[*lent]struct{})
	}
	i.lents[l] = struct{}{}
	return v
}

func (i *instance) ownValue(l *lent, f binval.Flags) (binval.Value, error) {
	size := widths[f&binval.KindMask]
	switch {
	case !f.Valid() || f == binval.Custom:
		return binval.Own(f, nil, 0, l)
	case f&binval.Array == 0 && f >= binval.Bool:
		return binval.Own(f, native(binary.LittleEndian.AppendUint64(nil, l.raw.union)[:size], size), 0, l)
	}
	units := uint64(l.raw.length)
	if f < binval.Bool {
		units++
	}
	if units == 0 {
		return binval.Own(f, nil, 0, l)
	}
	if units*uint64(size) > math.MaxUint32 {
		return binval.Value{}, binval.ErrLength
	}
	mem, ok := i.mem.Read(uint32(l.raw.union), uint32(units)*uint32(size))
	if !ok || uint32(l.raw.union) == 0 {
		return binval.Value{}, binval.ErrPointer
	}
	return binval.Own(f, native(mem, size), l.raw.length, l)
}

// widths holds the size of an element or code unit of each kind but Custom.
var widths = [binval.KindMask + 1]int{
	binval.String: 1, binval.UTF16: 2, binval.UTF32: 4, binval.Bool: 1, binval.Int8: 1, binval.Int16: 2, binval.Int32: 4,
	binval.Int64: 8, binval.Uint8: 1, binval.Uint16: 2, binval.Uint32: 4, binval.Uint64: 8, binval.Float32: 4, binval.Float64: 8,
}

func (i *instance) passArgs(at uint32, args *binval.Args) error {
	clear(i.bytes(at, argsSize))
	for k := range args {
		if args[k].IsZero() {
			continue
		}
		r, err := i.passValue(&args[k])
		if err != nil {
			return err
		}
		i.storeValue(at+uint32(k)*valueSize, r)
	}
	return nil
}

// passValue moves v, which isn't empty, to the guest.
func (i *instance) passValue(v *binval.Value) (raw, error) {
	if l, ok := binval.OwnerOf(v).(*lent); ok { // of this instance: no value of a guest gets into the steps of another instance
		l.passed = true
		return l.raw, v.Reset()
	}
	i.makeTypes()
	f := v.Flags()
	b, err := v.Bytes()
	if err != nil {
		return raw{}, err
	}
	size := widths[f&binval.KindMask]
	b = native(b, size)
	r := raw{typ: i.typeOf(f)}
	if f&binval.Array == 0 && f >= binval.Bool {
		var union [8]byte
		copy(union[:], b)
		r.union = binary.LittleEndian.Uint64(union[:])
		return r, v.Reset()
	}
	if uint64(len(b))+uint64(size) > math.MaxUint32 {
		return raw{}, binval.ErrLength
	}
	at := i.alloc(uint32(len(b) + size)) // with room for a terminator
	i.drop()                             // the memory belongs to the guest from now on
	copy(i.bytes(at, uint32(len(b))), b)
	r.union, r.length = uint64(at), uint32(len(b)/size)
	return r, v.Reset()
}

func (i *instance) ticket() uint32 {
	for {
		i.tickets++
		_, task := i.tasks[i.tickets]
		_, guard := i.guards[i.tickets]
		if i.tickets != 0 && int32(i.tickets) > 0 && !task && !guard {
			return i.tickets
		}
	}
}

// makeTypes makes the types of the host's values, if the guest has none.
func (i *instance) makeTypes() {
	if i.types != 0 {
		return
	}
	i.types = i.alloc(typeSize * uint32(binval.Array|binval.KindMask+1))
	for f := range binval.Array | binval.KindMask + 1 {
		i.bytes(i.typeOf(f), 1)[0] = byte(f)
	}
}

func (i *instance) typeOf(f binval.Flags) uint32 { return i.types + uint32(f)*typeSize }
