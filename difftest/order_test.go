package difftest_test

import (
	"encoding/json"
	"testing"

	"github.com/futoin-go/asyncsteps/proptest/script"
)

// A trace that is possible with another order within a moment is no difference; a wrong trace is one.
func TestPossible(t *testing.T) {
	for _, c := range []struct{ name, program, trace, wrong string }{
		{
			name: "an error and the end of a wait",
			program: `{"v":1,"roots":[{"do":[{"op":"parallel","id":1,"branches":[
				{"id":2,"do":[{"op":"add","step":{"id":3,"do":[{"op":"wait","ticks":1,"then":{"error":"One"}}]}}]},
				{"id":4,"do":[{"op":"add","step":{"id":5,"do":[{"op":"wait","ticks":1},{"op":"setCancel","do":[]}]}}]}]}]}]}`,
			trace: `{"strands":{"0/1.0":[["step",2],["step",3]],"0/1.1":[["step",4],["step",5],["cancel",5]]},"out":[["err","One",null]]}`,
			wrong: `{"strands":{"0/1.0":[["step",2],["step",3]],"0/1.1":[["step",4],["step",5],["cancel",5]]},"out":[["ok",[]]]}`,
		},
		{
			name: "a limit and the end of a wait",
			program: `{"v":1,"roots":[{"do":[{"op":"parallel","id":1,"branches":[
				{"id":2,"do":[{"op":"add","step":{"id":3,"do":[{"op":"wait","ticks":3}]}},{"op":"add","step":{"id":4,"do":[{"op":"time"}]}}]},
				{"id":5,"do":[{"op":"setTimeout","ticks":3},{"op":"add","step":{"id":6,"do":[{"op":"wait","ticks":9}]}}]}]}]}]}`,
			trace: `{"strands":{"0/1.0":[["step",2],["step",3],["step",4],["time",3]],"0/1.1":[["step",5],["step",6]]},"out":[["err","Timeout"]]}`,
			wrong: `{"strands":{"0/1.0":[["step",2],["step",3],["step",4],["time",2]],"0/1.1":[["step",5],["step",6]]},"out":[["err","Timeout"]]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := script.Decode([]byte(c.program))
			if err != nil {
				t.Fatal(err)
			}
			usual, err := script.Run(p)
			if err != nil {
				t.Fatal(err)
			}
			trace, wrong := decoded(t, c.trace), decoded(t, c.wrong)
			if script.Diff(trace, usual) == "" {
				t.Fatal("the usual order gives the trace: this tests no search")
			}
			if !possible(p, trace) {
				t.Error("no order was found that gives the trace")
			}
			if possible(p, wrong) {
				t.Error("an order was found that gives a wrong trace")
			}
		})
	}
}

func decoded(t *testing.T, text string) *script.Trace {
	trace := new(script.Trace)
	if err := json.Unmarshal([]byte(text), trace); err != nil {
		t.Fatal(err)
	}
	return trace
}
