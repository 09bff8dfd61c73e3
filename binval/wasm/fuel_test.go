package wasm

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/futoin-go/asyncsteps/fault"
)

func compiles(t *testing.T, r wazero.Runtime, binary []byte) (bool, error) {
	t.Helper()
	m, err := compiled(t.Context(), r, binary)
	if err == nil {
		err = m.Close(t.Context())
	}
	return err == nil, err
}

func validator(t *testing.T) wazero.Runtime {
	t.Helper()
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

// allInstructions returns a guest with instructions of many kinds.
func allInstructions() []byte {
	block := []byte{0x02, 0x40}
	end := []byte{0x0b}
	return asm{
		imports: []string{"futoin.success/2", "futoin.guard/1>"}, table: []string{"one", "two"}, start: "begin", data: "text",
		code: []defined{
			{"begin", 0, false, nil}, {"one", 1, true, concat(local(0), invoke("two"))}, {"two", 1, true, local(0)},
			{"all", 3, false, concat(
				block, []byte{0x0c, 0}, end,
				block, number(1), []byte{0x0d, 0}, end,
				block, number(1), []byte{0x0e, 1, 0, 0}, end,
				number(1), []byte{0x04, 0x40, 0x05}, end,
				[]byte{0x03, 0x7f}, number(1), end, drop,
				number(1), number(2), number(3), []byte{0x1b}, drop,
				number(1), number(2), number(3), []byte{0x1c, 1, 0x7f}, drop,
				local(0), []byte{0x22, 1, 0x21, 2, 0x23, 0, 0x24, 0},
				[]byte{0x42, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00}, drop,
				[]byte{0x43, 0, 0, 0, 0}, drop, []byte{0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0xfc, 3}, drop,
				number(0), []byte{0x28, 2, 0x80, 0x01, 0xc0}, drop, number(0), number(0), []byte{0x3a, 0, 0}, []byte{0x3f, 0}, drop,
				[]byte{0xd0, 0x70, 0xd1}, drop, []byte{0xd2, 2}, drop, number(0), []byte{0x25, 0}, drop, number(0), []byte{0xd0, 0x70, 0x26, 0},
				number(0), number(0), number(1), []byte{0xfc, 10, 0, 0}, number(0), number(0), number(1), []byte{0xfc, 11, 0},
				number(0), number(0), number(0), []byte{0xfc, 12, 0, 0, 0xfc, 13, 0}, number(0), number(0), number(0), []byte{0xfc, 14, 0, 0},
				[]byte{0xd0, 0x70}, number(0), []byte{0xfc, 15, 0}, drop, []byte{0xfc, 16, 0}, drop, number(0), []byte{0xd0, 0x70}, number(0), []byte{0xfc, 17, 0},
				concat([]byte{0xfd, 12}, make([]byte, 16)), []byte{0xfd, 21, 3}, drop,
				number(0), concat([]byte{0xfd, 12}, make([]byte, 16)), []byte{0xfd, 84, 0, 0, 1}, drop,
				number(0), []byte{0xfd, 0, 0, 0}, number(0), []byte{0xfd, 92, 2, 0}, concat([]byte{0xfd, 13}, make([]byte, 16)), concat([]byte{0xfd, 12}, make([]byte, 16)), []byte{0xfd, 0xb5, 0x01, 0xfd, 77}, drop,
				number(1), []byte{0x40, 0}, drop, number(1), local(0), []byte{0x11, 7, 0}, drop, []byte{0x0f},
			)},
		},
	}.step()
}

// A module that is understood is valid with fuel if and only if it is valid without, unless it has a wrong number of a type.
func TestFueledKeepsValidity(t *testing.T) {
	r := validator(t)
	same := func(binary []byte) bool {
		out, _, ok := rewritten(binary, true)
		if !ok {
			return false // the runtime never gets it: it takes some wrong instructions on vectors for two right ones
		}
		valid, err := compiles(t, r, binary)
		with, why := compiles(t, r, out)
		if with != valid && !strings.Contains(fmt.Sprint(err), "type") { // the fuel adds a type, which may make a wrong number of a type right
			t.Errorf("valid: %v, %v; with fuel: %v, %v: %x", valid, err, with, why, binary)
		}
		return valid
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, whole := range [][]byte{allInstructions(), Echo, hookedGuest(), guestFromBytes([]byte("a long enough text, whose bytes stand for calls"))} {
		if !same(whole) {
			t.Fatal("the module of the test isn't valid")
		}
		valid := 0
		for n := range 500 {
			binary := slices.Clone(whole)
			for range n % 3 {
				binary[header+random.IntN(len(binary)-header)] = byte(random.Uint32())
			}
			if same(binary) {
				valid++
			}
		}
		if valid < 150 {
			t.Errorf("only %d modules were valid", valid)
		}
		for n := range whole {
			same(whole[:n])
		}
	}
}

// A guest can't reach the variable for the fuel, and can't import from the module that checks it.
func TestFuelIsHidden(t *testing.T) {
	for name, binary := range map[string][]byte{
		"sets the variable": asm{}.step(number(1), []byte{0x24, 1}),
		"gets the variable": asm{}.step([]byte{0x23, 1}, drop),
		"imports the check": asm{imports: []string{fuelOf + "." + fuelName + "/0"}}.step(),
		"exports it":        asm{imports: []string{fuelOf + ".other/0"}}.step(),
	} {
		if _, err := Load(t.Context(), binary, Limits{}); fault.CodeOf(err) != fault.InvalidRequest {
			t.Error(name, err)
		}
	}
	if _, err := Load(t.Context(), asm{imports: []string{fuelOf + "." + fuelName + "/0"}}.step(), Limits{Trusted: true}); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error("trusted", err)
	}
}

func TestElements(t *testing.T) {
	offset := concat(number(1), []byte{0x0b})
	functions, expressions := []byte{2, 1, 2}, []byte{2, 0xd2, 1, 0x0b, 0xd2, 2, 0x0b}
	for flags, in := range [][]byte{
		concat(offset, functions), concat([]byte{0}, functions), concat([]byte{0}, offset, []byte{0}, functions), concat([]byte{0}, functions),
		concat(offset, expressions), concat([]byte{0x70}, expressions), concat([]byte{0}, offset, []byte{0x70}, expressions), concat([]byte{0x70}, expressions),
	} {
		in = append([]byte{byte(flags)}, in...)
		w := rewriter{reader: reader{b: in}, numbersOf: numbersOf{imports: 2, fuel: true}}
		w.elements()
		want := slices.Clone(in)
		want[bytes.LastIndexByte(want, 2)] = 3 // function 2 is behind the imports, which are one more
		if w.bad || len(w.b) > 0 || !bytes.Equal(w.out.Bytes(), want) {
			t.Errorf("flags %d: %x, want %x", flags, w.out.Bytes(), want)
		}
	}
	w := rewriter{reader: reader{b: []byte{8, 0, 0}}}
	if w.elements(); !w.bad {
		t.Error("unknown flags")
	}
}

// A guest that loops without end uses up fuel, and is stopped.
func TestFuelIsUsed(t *testing.T) {
	again := func(body ...[]byte) []byte { return concat([]byte{0x03, 0x40}, concat(body...), []byte{0x0c, 0, 0x0b}) }
	fill := concat(number(0), number(0), number(1<<20), []byte{0xfc, 11, 0})
	for name, body := range map[string][]byte{
		"fills memory":   concat(number(16), grow, drop, again(fill)),
		"copies memory":  concat(number(16), grow, drop, again(number(0), number(1), number(1<<20), []byte{0xfc, 10, 0, 0})),
		"grows memory":   again(number(1), grow, drop),
		"much code":      again(bytes.Repeat(concat(number(1), drop), 20_000)),
		"inner loops":    again(again([]byte{0x0c, 1}), again([]byte{0x0c, 1})),
		"a block inside": again([]byte{0x02, 0x40}, number(0), []byte{0x0d, 0, 0x0b}),
	} {
		t.Run(name, func(t *testing.T) {
			m := loaded(t, asm{}.step(body), Limits{Turn: 10 * time.Millisecond, Memory: 32 * page})
			if _, _, err := outcome(t, unitStep(m, "run"), struct{}{}); fault.CodeOf(err) != fault.Timeout {
				t.Error(err)
			}
		})
	}
}
