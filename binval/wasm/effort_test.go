package wasm

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// The guests are small, but are refused because of the estimate for the time to compile them. The estimate for half of each is low enough.
func TestEffort(t *testing.T) {
	var (
		end    = []byte{0x0b}
		loop   = []byte{0x03, 0x40}
		branch = []byte{0x20, 0, 0x0d, 0}
		times  = bytes.Repeat
		counts = func(n int) (code []byte) { // increments each of n variables
			for k := range n {
				v := uleb(uint64(3 + k))
				code = append(code, concat([]byte{0x20}, v, number(1), []byte{0x6a, 0x21}, v)...)
			}
			return code
		}
	)
	for name, c := range map[string]struct {
		most  int // the n for which the guest is refused
		guest func(n int) []byte
	}{
		"loops in loops": {4600, func(n int) []byte { return asm{}.step(times(loop, n), times(end, n)) }},
		"variables in loops in loops": {150, func(n int) []byte {
			return asm{locals: n}.step(times(loop, n), counts(n), times(concat(branch, end), n))
		}},
		"variables over branches": {1700, func(n int) []byte {
			return asm{locals: n}.step([]byte{0x02, 0x40}, times(branch, n), end, counts(n))
		}},
		"branches": {16_000, func(n int) []byte { return asm{}.step([]byte{0x02, 0x40}, times(branch, n), end) }},
		"a table of branches": {16_000, func(n int) []byte {
			return asm{}.step([]byte{0x02, 0x40}, []byte{0x20, 0, 0x0e}, uleb(uint64(n)), make([]byte, n+1), end)
		}},
		"blocks with many values": {900, func(n int) []byte {
			return asm{wide: 2000}.step(times(number(0), 2000), times([]byte{0x02, 12, 0x0b}, n), times(drop, 2000))
		}},
		"calls with many values": {3000, func(n int) []byte {
			return asm{wide: 2000}.step(times(number(0), 2000), []byte{0x02, 12}, times([]byte{0x10, 2}, n), end, times(drop, 2000))
		}},
		"instructions on blocks of memory": {4000, func(n int) []byte {
			return asm{}.step(times(concat(number(0), number(0), number(0), []byte{0xfc, 11, 0}), n))
		}},
		"functions with many variables": {1300, func(n int) []byte {
			a := asm{locals: 50_000}
			for k := range n {
				a.code = append(a.code, defined{fmt.Sprint("f", k), 0, false, nil})
			}
			return a.step()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := Load(t.Context(), c.guest(c.most), Limits{})
			if fault.CodeOf(err) != fault.InvalidRequest || !strings.Contains(err.Error(), "might take minutes") {
				t.Errorf("%v, %v", m, err)
			}
			if _, half, ok := rewritten(c.guest(c.most/2), true); !ok || half.effort > mostEffort {
				t.Error("half of it is refused too: ", half.effort)
			}
		})
	}
}

func TestEffortOfTrusted(t *testing.T) {
	const targets = 16_000
	loaded(t, asm{}.step([]byte{0x02, 0x40}, []byte{0x20, 0, 0x0e}, uleb(targets), make([]byte, targets+1), []byte{0x0b}), Limits{Trusted: true})
}
