package wasm

import (
	"bytes"
	"encoding/binary"
	"math"
)

// check is an empty loop. The runtime stops code only where a loop begins, so that functions that call each other without
// one, at most as deep as its stack, could go on for ever.
var check = []byte{0x03, 0x40, 0x0b}

const codeSection = 10

// checked returns a module with a check at the begin of each function. A module that it doesn't understand is returned as it
// is: it isn't valid, which the runtime tells better.
func checked(module []byte) []byte {
	const header = 8
	if len(module) < header {
		return module
	}
	out := bytes.NewBuffer(module[:header:header])
	for rest := module[header:]; len(rest) > 0; {
		id := rest[0]
		content, after, ok := sized(rest[1:])
		if !ok {
			return module
		}
		if id == codeSection {
			if content, ok = checkedCode(content); !ok {
				return module
			}
		}
		out.WriteByte(id)
		putSized(out, content)
		rest = after
	}
	return out.Bytes()
}

// checkedCode adds the checks to the functions of a code section.
func checkedCode(section []byte) ([]byte, bool) {
	count, rest, ok := leb128(section)
	if !ok {
		return nil, false
	}
	var out, function bytes.Buffer
	out.Write(binary.AppendUvarint(nil, count))
	for range count {
		var code []byte
		if code, rest, ok = sized(rest); !ok {
			return nil, false
		}
		locals, ok := localsOf(code)
		if !ok {
			return nil, false
		}
		function.Reset()
		function.Write(code[:locals])
		function.Write(check)
		function.Write(code[locals:])
		putSized(&out, function.Bytes())
	}
	return out.Bytes(), len(rest) == 0
}

// localsOf returns how many bytes of a function declare its local variables.
func localsOf(code []byte) (int, bool) {
	groups, rest, ok := leb128(code)
	for ; ok && groups > 0; groups-- {
		if _, rest, ok = leb128(rest); !ok || len(rest) == 0 {
			return 0, false
		}
		if t := rest[0]; t == 0x63 || t == 0x64 { // a reference to a type with a number, which the runtime refuses
			return 0, false
		}
		rest = rest[1:]
	}
	return len(code) - len(rest), ok
}

// sized splits b behind a block that begins with its size.
func sized(b []byte) (block, rest []byte, ok bool) {
	n, b, ok := leb128(b)
	if !ok || n > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:n], b[n:], true
}

// leb128 splits b behind a number of at most 32 bits.
func leb128(b []byte) (n uint64, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > math.MaxUint32 {
		return 0, nil, false
	}
	return n, b[size:], true
}

func putSized(out *bytes.Buffer, block []byte) {
	out.Write(binary.AppendUvarint(nil, uint64(len(block))))
	out.Write(block)
}
