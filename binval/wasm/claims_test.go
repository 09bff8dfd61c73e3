package wasm

import (
	"bytes"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// Modules that claim to have billions of something, or tables for too many elements, are refused, and no room is made for that.
func TestClaims(t *testing.T) {
	many := uleb(math.MaxUint32)
	header := []byte("\x00asm\x01\x00\x00\x00")
	modules := map[string][]byte{
		"parameters": section(1, concat([]byte{1, 0x60}, many)), "results": section(1, concat([]byte{1, 0x60, 0}, many)),
		"the name of an import": section(2, concat([]byte{1}, many)), "the name of an export": section(7, concat([]byte{1}, many)),
		"elements": section(9, concat([]byte{1, 1, 0}, many)), "expressions of elements": section(9, concat([]byte{1, 5, 0x70}, many)),
		"data": section(11, concat([]byte{1, 1}, many)), "the size of a function": section(10, concat([]byte{1}, many)),
		"the name of a section": section(0, many), "the name of the module": section(0, concat(named("name"), []byte{0}, prefixed(many))),
		"names of functions": section(0, concat(named("name"), []byte{1}, prefixed(many))),
		"a name":             section(0, concat(named("name"), []byte{1}, prefixed(concat([]byte{1, 0}, many)))),
		"names of variables": section(0, concat(named("name"), []byte{2}, prefixed(concat([]byte{1, 0}, many)))),
		"the size of names":  section(0, concat(named("name"), []byte{1}, many)),
		"a section":          concat([]byte{1}, many),
		"elements of tables": section(4, concat([]byte{2, 0x70, 0}, uleb(mostElements), []byte{0x70, 0, 1})),
	}
	for id := byte(1); id <= 12; id++ {
		if id != 8 && id != 12 { // the start function and the number of data segments, which are numbers
			modules["section "+string('a'+rune(id))] = section(id, many)
		}
	}
	for name, module := range modules {
		for _, trusted := range []bool{false, true} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Load(t.Context(), concat(header, module), Limits{Trusted: trusted})
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; fault.CodeOf(err) != fault.InvalidRequest || n > 10<<20 {
				t.Errorf("%s: %v, %d bytes", name, err, n)
			}
		}
	}
}

// A table doesn't grow beyond mostElements.
func TestTablesHaveALimit(t *testing.T) {
	grows := func(by int32) []byte {
		return concat([]byte{0xd0, 0x70}, number(by), []byte{0xfc, 15, 0}, number(-1), []byte{0x46, 0x04, 0x40}, unreachable, []byte{0x0b})
	}
	for by, ok := range map[int32]bool{1: true, mostElements - 1: true, mostElements: false} {
		m := loaded(t, asm{}.step(grows(by)), Limits{})
		if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); (err == nil) != ok {
			t.Errorf("%d elements more: %v", by, err)
		}
	}
}

// Modules with types that take more bytes than those of version 2 are refused.
func TestLaterTypes(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"a variable", "\x00\x01\x01\x0b", "\x01\x01\x63\x70\x01\x01\x0b"},
		{"a block", "\x00\x01\x01\x0b", "\x00\x02\x63\x70\x0b\x01\x01\x0b"},
		{"select", "\x00\x01\x01\x0b", "\x00\x1c\x01\x63\x70\x01\x01\x0b"},
		{"null", "\x00\x01\x01\x0b", "\x00\xd0\x63\x70\x01\x01\x0b"},
	} {
		nops := []byte{1, 1}
		whole := asm{}.step(nops)
		body := func(s string) []byte { return prefixed([]byte(s)) }
		if _, _, ok := rewritten(whole, true); !ok || bytes.Count(whole, body(c.before)) != 1 {
			t.Fatal("the module of the test isn't understood")
		}
		code := bytes.Index(whole, body(c.before))
		for _, p := range must(split(whole)) {
			if p.id == codeSection {
				changed := strings.Replace(string(p.content), string(body(c.before)), string(body(c.after)), 1)
				before, after := section(codeSection, p.content), section(codeSection, []byte(changed))
				whole = bytes.Replace(whole, before, after, 1)
			}
		}
		if _, _, ok := rewritten(whole, true); ok || code < 0 {
			t.Error(c.name)
		}
	}
}

func must(parts []part, ok bool) []part {
	if !ok {
		panic("no module")
	}
	return parts
}
