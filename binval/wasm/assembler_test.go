package wasm

import (
	"slices"
	"strings"
)

// asm is a guest that tests put together without a compiler. Functions are numbered from 0: the imports, then futoin_call, then code.
// Those in table have other numbers too, from 1, by which the host calls them.
type asm struct {
	imports []string  // "module.name/params" or "module.name/params>" with a result
	code    []defined // further functions, after futoin_call
	table   []string  // names of functions
	start   string    // a function without parameters
	pages   int       // of memory; 0: 1
	most    byte      // pages that memory can grow to; 0: no bound
	data    string    // at address 1024
	without string    // an export that is left out
	tables  int32     // the address that futoin_call gives for the tables of the host
	call    *defined  // another futoin_call; nil: one that works
	wide    int       // how many parameters, and how many results, one more type has, the last; 0: there is none
	locals  int       // how many variables of 32 bits each function has in addition to its parameters
}

type defined struct {
	name   string
	params int
	result bool
	body   []byte
}

var (
	unreachable = []byte{0x00}
	forever     = []byte{0x03, 0x40, 0x0c, 0x00, 0x0b} // loop br 0 end
	drop        = []byte{0x1a}
	grow        = []byte{0x40, 0x00}
	loadWord    = []byte{0x28, 2, 0}
	storeWord   = []byte{0x36, 2, 0}
)

func number(n int32) []byte { return append([]byte{0x41}, signedLEB(int64(n))...) }
func local(n byte) []byte   { return []byte{0x20, n} }
func concat(parts ...[]byte) []byte {
	return slices.Concat(parts...)
}

func uleb(n uint64) (out []byte) {
	for n >= 0x80 {
		out = append(out, byte(n)|0x80)
		n >>= 7
	}
	return append(out, byte(n))
}

func signedLEB(n int64) (out []byte) {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

func vector(items ...[]byte) []byte { return append(uleb(uint64(len(items))), concat(items...)...) }
func named(s string) []byte         { return append(uleb(uint64(len(s))), s...) }

func section(id byte, content []byte) []byte {
	return concat([]byte{id}, uleb(uint64(len(content))), content)
}

// invoke returns a call of the function. build puts in the number of the function.
func invoke(function string) []byte { return []byte("\x10{" + function + "}") }

// futoinCall allocates memory, which it never frees, and calls functions of the table.
var futoinCall = defined{callExport, 5, true, concat(
	branch(opAlloc, concat([]byte{0x23, 0}, []byte{0x23, 0}, local(2), []byte{0x6a}, number(15), []byte{0x6a}, number(-16), []byte{0x71, 0x24, 0, 0x0f})),
	branch(opOne, concat(local(2), local(1), []byte{0x11, 1, 0}, number(0), []byte{0x0f})),
	branch(opTwo, concat(local(2), local(3), local(1), []byte{0x11, 2, 0}, number(0), []byte{0x0f})),
	branch(opThree, concat(local(2), local(3), local(4), local(1), []byte{0x11, 3, 0}, number(0), []byte{0x0f})),
	branch(opMake, concat(local(2), local(1), []byte{0x11, 7, 0, 0x0f})),
	number(0),
)}

// branch returns code that is executed only if the first parameter is op.
func branch(op int32, code []byte) []byte {
	return concat(local(0), number(op), []byte{0x46, 0x04, 0x40}, code, []byte{0x0b})
}

// build returns the module. The number of a function type is that of its parameters, plus 6 if it has a result.
func (a asm) build() []byte {
	functions := append([]defined{futoinCall}, a.code...)
	if a.call != nil {
		functions[0] = *a.call
	}
	if a.tables != 0 {
		functions[0].body = concat(branch(opTables, concat(number(a.tables), []byte{0x0f})), functions[0].body)
	}
	index := map[string]int{}
	var types, imports, funcs, exports, bodies, elements, symbols [][]byte
	for n := range 12 {
		result := vector()
		if n >= 6 {
			result = vector([]byte{0x7f})
		}
		types = append(types, concat([]byte{0x60}, vector(slices.Repeat([][]byte{{0x7f}}, n%6)...), result))
	}
	if a.wide > 0 {
		values := vector(slices.Repeat([][]byte{{0x7f}}, a.wide)...)
		types = append(types, concat([]byte{0x60}, values, values))
	}
	typeOf := func(params int, result bool) byte {
		if result {
			params += 6
		}
		return byte(params)
	}
	for n, i := range a.imports {
		full, signature, _ := strings.Cut(i, "/")
		module, field, _ := strings.Cut(full, ".")
		index[field] = n
		imports = append(imports, concat(named(module), named(field), []byte{0, typeOf(int(signature[0]-'0'), strings.HasSuffix(signature, ">"))}))
	}
	for n, f := range functions {
		index[f.name] = len(a.imports) + n
	}
	for _, f := range functions {
		funcs = append(funcs, []byte{typeOf(f.params, f.result)})
		if f.name != a.without {
			exports = append(exports, concat(named(f.name), []byte{0}, uleb(uint64(index[f.name]))))
		}
		body := link(f.body, index)
		locals := vector()
		if a.locals > 0 {
			locals = vector(concat(uleb(uint64(a.locals)), []byte{0x7f}))
		}
		bodies = append(bodies, prefixed(concat(locals, body, []byte{0x0b})))
		symbols = append(symbols, concat(uleb(uint64(index[f.name])), named(f.name)))
	}
	if a.without != memory {
		exports = append(exports, concat(named(memory), []byte{2, 0}))
	}
	for _, f := range a.table {
		elements = append(elements, uleb(uint64(index[f])))
	}
	pages := uleb(uint64(max(a.pages, 1)))
	limits := concat([]byte{0}, pages)
	if a.most > 0 {
		limits = concat([]byte{1}, pages, []byte{a.most})
	}
	out := concat([]byte("\x00asm\x01\x00\x00\x00"), section(1, vector(types...)), section(2, vector(imports...)), section(3, vector(funcs...)),
		section(4, vector(concat([]byte{0x70, 0}, uleb(uint64(len(elements)+1))))), section(5, vector(limits)),
		section(6, vector(concat([]byte{0x7f, 1}, number(8192), []byte{0x0b}))), section(7, vector(exports...)))
	if a.start != "" {
		out = append(out, section(8, uleb(uint64(index[a.start])))...)
	}
	out = append(out, section(9, vector(concat([]byte{0}, number(1), []byte{0x0b}, vector(elements...))))...)
	out = append(out, section(10, vector(bodies...))...)
	if a.data != "" {
		out = append(out, section(11, vector(concat([]byte{0}, number(1024), []byte{0x0b}, named(a.data))))...)
	}
	return append(out, section(0, concat(named("name"), []byte{1}, prefixed(vector(symbols...))))...)
}

func prefixed(b []byte) []byte { return append(uleb(uint64(len(b))), b...) }

func link(body []byte, index map[string]int) []byte {
	s := string(body)
	for {
		before, rest, ok := strings.Cut(s, "\x10{")
		if !ok {
			return []byte(s)
		}
		function, after, _ := strings.Cut(rest, "}")
		n, ok := index[function]
		if !ok {
			panic("no function " + function)
		}
		s = before + "\x10" + string(uleb(uint64(n))) + after
	}
}

// step builds a guest with one more function, run, which is a step.
func (a asm) step(body ...[]byte) []byte {
	a.code = append([]defined{{"run", 3, false, concat(body...)}}, a.code...)
	return a.build()
}
