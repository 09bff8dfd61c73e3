package script_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/proptest/script"
)

func flow(do string) string { return `{"v":1,"roots":[{"do":[` + do + `]}]}` }

func body(do string) string { return flow(`{"op":"add","step":{"id":1,"do":[` + do + `]}}`) }

func TestDecodeRefuses(t *testing.T) {
	for _, tt := range []struct{ text, problem string }{
		{``, "EOF"},
		{`{`, "EOF"},
		{`[]`, "cannot unmarshal"},
		{flow(``) + `{}`, "follows"},
		{`{"v":2,"roots":[]}`, "version 2"},
		{`{"v":1,"rots":[]}`, `unknown field "rots"`},
		{flow(`null`), "without op"},
		{flow(`{"op":"jump"}`), `no such op: "jump"`},
		{flow(`{"op":"add","setp":{}}`), `unknown field "setp"`},
		{flow(`{"op":"add"}`), "a step is missing"},
		{flow(`{"op":"add","step":{"id":1,"do":[],"onerror":[]}}`), `unknown field "onerror"`},
		{flow(`{"op":"success","args":[]}`), "success stands where it can't be done"},
		{body(`{"op":"setCancel","do":[{"op":"add","step":{"id":2,"do":[]}}]}`), "add stands where it can't"},
		{flow(`{"op":"loop","id":1,"do":[]},{"op":"loop","id":1,"do":[]}`), "an id is used twice"},
		{flow(`{"op":"repeat","id":1,"count":-1,"do":[]}`), "negative count"},
		{flow(`{"op":"forEach","id":1,"do":[]}`), "either a list or a map"},
		{flow(`{"op":"forEach","id":1,"map":[["b",1],["a",2]],"do":[]}`), "ascending"},
		{flow(`{"op":"forEach","id":1,"map":[["b"]],"do":[]}`), "[key, value]"},
		{flow(`{"op":"sync","obj":"m","step":{"id":1,"do":[]}}`), "no such sync object: m"},
		{flow(`{"op":"copyFrom","model":"m"}`), "no such model: m"},
		{`{"v":1,"models":{"m":{"do":[{"op":"copyFrom","model":"m"}]}},"roots":[]}`, "copies itself"},
		{`{"v":1,"sync":{"m":{"type":"lock","max":1,"max_queue":null}},"roots":[]}`, "a bad sync object: m"},
		{`{"v":1,"sync":{"m":{"type":"mutex","max":0,"max_queue":null}},"roots":[]}`, "a bad sync object: m"},
		{body(`{"op":"spawn","root":0}`), "spawn of a root"},
		{body(`{"op":"spawn","root":7}`), "spawn of a root"},
		{flow(`{"op":"await","id":1,"promise":{"resolve":1,"reject":"E","delay":1}}`), "both"},
		{flow(`{"op":"await","id":1,"promise":{"resolve":1,"delay":-1}}`), "negative delay"},
		{body(`{"op":"wait","ticks":-1}`), "negative"},
		{body(`{"op":"wait","ticks":1,"then":{}}`), "either success or error"},
		{body(`{"op":"setTimeout","ticks":0}`), "positive"},
		{body(`{"op":"success","args":[1,null]}`), "last argument is null"},
		{body(`{"op":"success","args":[4294967296]}`), "no 32-bit integer"},
		{body(`{"op":"success","args":[1.5]}`), "no 32-bit integer"},
		{body(`{"op":"success","args":[{}]}`), "a value is"},
		{body(`{"op":"success","args":[[[]]]}`), "a value is"},
		{body(`{"op":"if","cond":{},"then":[]}`), "one of iter, state, arg, code"},
		{body(`{"op":"if","cond":{"iter":1,"cmp":"gt","n":1},"then":[]}`), "no such cmp"},
		{body(`{"op":"if","cond":{"arg":1,"code":"E"},"then":[]}`), "one of iter, state, arg, code"},
		{`{"v":1,"roots":[{"do":[],"at":-1}]}`, "time is negative"},
		{`{"v":1,"roots":[{"do":[],"via":"mail"}]}`, "no such via"},
		{strings.Repeat(`[`, 100_000), "nested deeper"},
	} {
		p, err := script.Decode([]byte(tt.text))
		if _, ok := errors.AsType[*script.FormatError](err); !ok || !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%.80s: got %v, %v, want a *FormatError about %q", tt.text, p, err, tt.problem)
		}
	}
}

func TestProgramsSurviveEncoding(t *testing.T) {
	for _, text := range []string{
		flow(``),
		body(`{"op":"log","msg":"<&>"},{"op":"args"},{"op":"success","args":[1,null,"x",[true,null]]}`),
		flow(`{"op":"add","step":{"id":1,"do":[],"catch":[]}},{"op":"forEach","id":2,"list":[],"do":[]},` +
			`{"op":"forEach","id":3,"map":[["a",[1]]],"label":"L","do":[{"op":"break","label":"L"}]}`),
		body(`{"op":"if","cond":{"state":"k","is":[null]},"then":[{"op":"wait","ticks":0,"then":{"error":"E","info":"i"}}]}`),
		`{"v":1,"sync":{"m":{"type":"mutex","max":1,"max_queue":null},"l":{"type":"limiter","concurrent":1,"max_queue":0,` +
			`"rate":1,"period":2}},"models":{"x":{"state":{"k":1},"do":[]}},"roots":[{"do":[],"at":1,"cancel":0,"via":"promise"}]}`,
	} {
		p, err := script.Decode([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var want, have any
		_ = json.Unmarshal([]byte(text), &want)
		_ = json.Unmarshal(got, &have)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s (-before +after):\n%s", text, diff)
		}
	}
}
