package wasm

import "testing"

// A variable of a root that is freed before the variable is made is cleaned up, at the latest when the pointer names another step.
func TestVariableOfFreedRoot(t *testing.T) {
	kept := concat(number(4096), loadWord)
	frees := concat(kept, invoke("free"))
	ask := func(name, allocate, cleanup int32) []byte {
		return concat(kept, number(0), number(name), number(allocate), number(cleanup), invoke("stateVariable"), drop)
	}
	counts := concat(number(4100), number(4100), loadWord, number(1), []byte{0x6a}, storeWord)
	const runs = 300
	for name, body := range map[string][]byte{
		"by its allocate":        ask(1024, 2, 4),
		"by a cleanup of others": concat(ask(1024, 1, 3), frees),
	} {
		t.Run(name, func(t *testing.T) {
			m := loaded(t, asm{
				imports: []string{"futoin.newInstance/1>", "futoin.free/1", "futoin.stateVariable/5>"},
				table:   []string{"makes", "frees", "asks", "counts"}, data: "name\x00another\x00",
				code: []defined{
					{"makes", 1, true, number(1)}, {"frees", 1, true, concat(frees, number(1))},
					{"asks", 2, false, ask(1029, 1, 4)}, {"counts", 2, false, counts},
				},
			}.step(number(4096), as, invoke("newInstance"), storeWord, body), Limits{Reuse: true, Objects: 200})
			for range runs {
				if _, reported, err := outcome(t, unitStep(m, "run"), struct{}{}); err != nil || len(reported) > 0 {
					t.Fatal(err, reported)
				}
			}
			if n := m.idle[0].load(4100); n < runs-2*quarantine {
				t.Errorf("%d of %d variables were cleaned up", n, runs)
			}
		})
	}
}
