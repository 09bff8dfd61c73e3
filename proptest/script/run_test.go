package script_test

import (
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/proptest/script"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func decoded(t *testing.T, text string) *script.Program {
	t.Helper()
	p, err := script.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

func TestRunEndsWhatDoesNotEnd(t *testing.T) {
	for _, tt := range []struct{ reason, text, problem string }{
		{"a loop without a break", flow(`{"op":"loop","id":1,"do":[]}`), "too much"},
		{"a loop of waits", flow(`{"op":"loop","id":1,"do":[{"op":"wait","ticks":1}]}`), "too much"},
		{"many turns", flow(`{"op":"repeat","id":1,"count":2147483647,"do":[]}`), "too much"},
		{"nobody completes it", body(`{"op":"waitExternal"}`), "root 0 hasn't ended"},
		{"a model that runs itself", `{"v":1,"models":{"m":{"do":[{"op":"add","step":{"id":1,"do":[{"op":"copyFrom","model":"m"}]}}]}},` +
			`"roots":[{"do":[{"op":"copyFrom","model":"m"}]}]}`, "too much"},
		{"a root that spawns itself", `{"v":1,"roots":[{"do":[{"op":"add","step":{"id":1,"do":[{"op":"spawn","root":1}]}}]},` +
			`{"spawn":true,"do":[{"op":"add","step":{"id":2,"do":[{"op":"spawn","root":1}]}}]}]}`, "too much"},
	} {
		_, err := script.Run(decoded(t, tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%s: got %v, want something about %q", tt.reason, err, tt.problem)
		}
	}
}

// A violation fails its step, also one that can't be written with the typed API (E7, E8).
func TestRunFindsViolations(t *testing.T) {
	sub := `{"op":"add","step":{"id":2,"do":[{"op":"log","msg":"never"}]}},`
	for _, do := range []string{
		sub + `{"op":"success","args":[]}`,
		sub + `{"op":"error","code":"Mine"}`,
		`{"op":"outerAdd"},{"op":"log","msg":"never"}`,
		`{"op":"break"}`,
		`{"op":"continue","label":"NONE"}`,
		`{"op":"set","key":"k","value":"x"},{"op":"inc","key":"k"},{"op":"log","msg":"never"}`,
	} {
		got, err := script.Run(decoded(t, body(do)))
		want := &script.Trace{
			Strands: map[string][]script.Event{"0": {`["step",1]`}},
			Out:     []script.Event{`["err","` + script.Event(fault.InternalError) + `"]`},
		}
		if diff := script.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %s, error %v", do, diff, err)
		}
	}
}

func TestDiffNamesWhereTracesPart(t *testing.T) {
	one := func() *script.Trace {
		return &script.Trace{
			Strands: map[string][]script.Event{"0": {`["step",1]`, `["step",2]`}},
			Out:     []script.Event{`["ok",[]]`},
			Seq:     map[string][]string{"s": {"0", "1"}},
			Marks:   map[string][]int{"m": {1}},
			Occ:     map[string]script.Occupancy{"o": {Max: 1}},
		}
	}
	for _, tt := range []struct {
		change func(*script.Trace)
		want   string
	}{
		{func(*script.Trace) {}, ""},
		{func(tr *script.Trace) { tr.Strands["0"][1] = `["step",3]` }, `flow 0, number 1: want ["step",2], got ["step",3]`},
		{func(tr *script.Trace) { tr.Strands["0"] = tr.Strands["0"][:1] }, `flow 0, number 1: want ["step",2], got nothing`},
		{func(tr *script.Trace) { tr.Strands["0/1.0"] = []script.Event{`["x"]`} }, `flow 0/1.0, number 0: want nothing, got ["x"]`},
		{func(tr *script.Trace) { tr.Out[0] = `["cancelled"]` }, `the end of root, number 0: want ["ok",[]], got ["cancelled"]`},
		{func(tr *script.Trace) { tr.Seq["s"] = []string{"1", "0"} }, `sequence s, number 0: want 0, got 1`},
		{func(tr *script.Trace) { tr.Marks = nil }, `mark m, number 0: want 1, got nothing`},
		{func(tr *script.Trace) { tr.Occ["o"] = script.Occupancy{Max: 1, End: 1} }, `section o: want {Max:1 End:0}, got {Max:1 End:1}`},
	} {
		got := one()
		tt.change(got)
		if d := script.Diff(one(), got); d != tt.want {
			t.Errorf("got %q, want %q", d, tt.want)
		}
	}
}

// The setup of a root is executed at the start of the program, even if the root starts later. That of a spawned root is executed
// when it is spawned.
func TestRunSetsRootsUpAtTheStart(t *testing.T) {
	promise := func(id string) string {
		return `{"op":"await","id":` + id + `,"promise":{"resolve":1,"delay":5}},` +
			`{"op":"add","step":{"id":1` + id + `,"do":[{"op":"time"},{"op":"mark","name":"m"}],"quiet":true}}`
	}
	program := `{"v":1,"roots":[{"at":3,"do":[` + promise("1") + `]},{"at":7,"do":[` + promise("2") + `]},` +
		`{"at":2,"do":[{"op":"add","step":{"id":3,"do":[{"op":"spawn","root":3}],"quiet":true}}]},` +
		`{"spawn":true,"do":[` + promise("4") + `]}]}`
	for seed := range uint64(20) {
		got, err := script.Run(decoded(t, program), tooltest.WithSeed(seed))
		want := &script.Trace{
			Strands: map[string][]script.Event{"0": {`["time",5]`}, "1": {`["time",7]`}, "3": {`["time",7]`}},
			Out:     []script.Event{`["ok",[]]`, `["ok",[]]`, `["ok",[]]`, `["ok",[]]`},
			Marks:   map[string][]int{"m": {5, 7, 7}},
		}
		if diff := script.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("seed %d: %s, error %v", seed, diff, err)
		}
	}
}
