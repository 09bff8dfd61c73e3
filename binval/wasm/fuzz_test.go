package wasm

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// guestFromBytes returns a guest whose step and callbacks call the table in an order, and with arguments, that the input determines.
func guestFromBytes(input []byte) []byte {
	a := asm{data: "error_info\x00Code\x00\x02\x00\x00\x00\x01\x00\x00\x00", most: 4}
	for _, f := range imports {
		result := ""
		if f.gives {
			result = ">"
		}
		a.imports = append(a.imports, "futoin."+f.name+"/"+string(rune('0'+f.takes))+result)
	}
	next := func() byte {
		if len(input) == 0 {
			return 0
		}
		b := input[0]
		input = input[1:]
		return b
	}
	body := func(params byte) (code []byte) {
		for range next() % 8 {
			n := int(next()) % (len(imports) + 1)
			if n == len(imports) {
				code = append(code, scribble(next()%notesSize, argument(next(), params))...)
				continue
			}
			f := imports[n]
			for range f.takes {
				code = append(code, argument(next(), params)...)
			}
			code = append(code, invoke(f.name)...)
			if f.gives {
				code = append(code, 0x24, 0) // what the next calls may use
			}
		}
		return code
	}
	a.table = []string{"one", "two", "three", "make"}
	a.code = []defined{
		{"one", 1, false, body(1)}, {"two", 2, false, body(2)}, {"three", 3, false, body(3)},
		{"make", 1, true, append(body(1), argument(next(), 1)...)},
	}
	return a.step(body(3))
}

// argument returns code for an argument that b determines.
func argument(b, params byte) []byte {
	switch b % 16 {
	case 0, 1, 2, 3, 4:
		return as
	case 5, 6:
		return []byte{0x23, 0}
	case 7:
		return local(b / 16 % params)
	case 8, 9, 10:
		return number(int32(b / 16 % 6)) // a function, a flag, a small number
	case 11:
		return number(1024)
	case 12:
		return number(1035)
	case 13:
		return number(4096 + int32(b)/16*32)
	case 14:
		return concat(number(4096+int32(b)/16*4), loadWord)
	default:
		return number(-1 << (b / 16))
	}
}

func scribble(offset byte, value []byte) []byte {
	return concat(as, []byte{0x28, 2, peerNotes}, value, []byte{0x36, 2}, uleb(uint64(offset)))
}

// runHostile runs the step of a module twice, and checks that each run ends, that no tasks, roots, values, variables or locks are left, and
// that the loop comes to rest. It reports whether the module could be loaded.
func runHostile(t *testing.T, binary []byte) bool {
	m, err := Load(context.Background(), binary, Limits{Memory: 4 * page, Turn: 50 * time.Millisecond, Start: 50 * time.Millisecond, Objects: 50, Reuse: true})
	if err != nil {
		return false
	}
	defer m.Close()
	for range 2 {
		loop := tooltest.New(tooltest.WithHost(tool.WithOnError(func(error) {})))
		run := flow.Start(context.Background(), loop, unitStep(m, "run"), struct{}{})
		ended := func() bool {
			select {
			case <-run.Done():
				return true
			default:
				return false
			}
		}
		for n := 0; n < 300 && loop.Step(); n++ { // its loops may have no end
		}
		run.Cancel(nil)
		for n := 0; !ended() && loop.Step(); n++ {
			if n > 10_000 {
				t.Fatal("the run doesn't end")
			}
		}
		for n := 0; loop.Step(); n++ {
			if n > 10_000 {
				t.Fatal("the loop has no end")
			}
		}
		if !ended() || m.used != 0 || loop.Host().Live() != 0 {
			t.Fatalf("ended: %v, in use: %d, live: %d", ended(), m.used, loop.Host().Live())
		}
	}
	for _, i := range m.idle {
		if i.objects > len(i.peers)+len(i.guards)+len(i.scratch)+51 || len(i.tasks)+len(i.roots)+len(i.lents)+len(i.vars)+len(i.holds) > 0 {
			t.Fatalf("%d objects are left, %d tasks, %d roots, %d values, %d variables", i.objects, len(i.tasks), len(i.roots), len(i.lents), len(i.vars))
		}
	}
	return true
}

func FuzzCalls(f *testing.F) {
	f.Add([]byte{3, 0, 0, 8, 24, 40, 4, 0, 8, 8, 0, 0, 24, 40})
	f.Add([]byte("a long enough text, whose bytes stand for calls of the table by a step and its callbacks"))
	f.Fuzz(func(t *testing.T, input []byte) { runHostile(t, guestFromBytes(input)) })
}

func FuzzModule(f *testing.F) {
	f.Add(Echo)
	f.Add(hookedGuest())
	f.Add(guestFromBytes([]byte("some more of it")))
	f.Fuzz(func(t *testing.T, binary []byte) { runHostile(t, binary) })
}

var (
	drawnGuests = flag.Int("drawn", 300, "how many guests TestDrawnCalls and TestDamagedModules draw")
	drawnPiece  = flag.Uint64("piece", 1, "which guests they draw")
)

// A piece draws the same guests each time. -v shows how many could be loaded.
//
//	go test -run TestDrawnCalls -timeout 0 -v -drawn 100000 -piece 2
func TestDrawnCalls(t *testing.T) {
	draw(t, func(random *rand.Rand) []byte { return guestFromBytes(drawnBytes(random, 200)) })
}

// The modules are random bytes behind a header, or were valid before some bytes of them were changed, left out or doubled. This is like
// FuzzModule without its instrumentation, in pieces as TestDrawnCalls.
func TestDamagedModules(t *testing.T) {
	whole := [][]byte{Echo, hookedGuest(), repeatGuest().step()}
	draw(t, func(random *rand.Rand) []byte {
		var module []byte
		switch n := random.IntN(20); {
		case n == 0:
			return append([]byte("\x00asm\x01\x00\x00\x00"), drawnBytes(random, random.IntN(200))...)
		case n < 10:
			module = guestFromBytes(drawnBytes(random, 200))
		default:
			module = slices.Clone(whole[n%len(whole)])
		}
		for range 1 + random.IntN(4) {
			switch at := random.IntN(len(module)); random.IntN(6) {
			case 0:
				module = slices.Delete(module, at, min(at+1+random.IntN(8), len(module)-1))
			case 1:
				module = slices.Insert(module, at, module[at:min(at+1+random.IntN(16), len(module))]...)
			case 2:
				module[at] ^= 1 << random.IntN(8)
			case 3:
				module[at]++
			default:
				module[at] = byte(random.Uint32())
			}
		}
		return module
	})
}

func draw(t *testing.T, module func(*rand.Rand) []byte) {
	random := rand.New(rand.NewPCG(*drawnPiece, 0))
	loaded := 0
	for n := range *drawnGuests {
		if runHostile(t, module(random)) {
			loaded++
		}
		if n%10_000 == 9999 {
			t.Logf("%d guests", n+1)
		}
	}
	t.Logf("%d guests of piece %d; %d of them could be loaded, and ran twice", *drawnGuests, *drawnPiece, loaded)
}

func drawnBytes(random *rand.Rand, n int) []byte {
	all := make([]byte, n)
	for k := range all {
		all[k] = byte(random.Uint32())
	}
	return all
}
