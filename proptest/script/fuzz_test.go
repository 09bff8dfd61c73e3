package script_test

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/proptest/script"
)

// FuzzProgram decodes any text. If that is a program, Run must return a trace, whose content isn't checked.
func FuzzProgram(f *testing.F) {
	for _, text := range []string{
		body(`{"op":"success","args":[1,"two",[true,null]]}`),
		flow(`{"op":"loop","id":1,"label":"A","do":[{"op":"if","cond":{"iter":1,"cmp":"ge","n":2},"then":[{"op":"break","label":"A"}]}]}`),
		flow(`{"op":"parallel","id":1,"branches":[{"id":2,"do":[{"op":"error","code":"E"}]},{"id":3,"do":[{"op":"wait","ticks":3}]}],"catch":[{"op":"success","args":[]}]}`),
		`{"v":1,"sync":{"m":{"type":"mutex","max":1,"max_queue":0}},"roots":[{"do":[{"op":"sync","obj":"m","step":{"id":1,"do":[{"op":"wait","ticks":2}]}}]},` +
			`{"at":1,"cancel":2,"do":[{"op":"sync","obj":"m","step":{"id":2,"do":[{"op":"setTimeout","ticks":1},{"op":"setCancel","do":[{"op":"log","msg":"x"}]}],"catch":[]}}]}]}`,
		`{"v":1,"models":{"m":{"state":{"k":1},"do":[{"op":"repeat","id":1,"count":2,"do":[{"op":"inc","key":"k"}]}]}},` +
			`"roots":[{"via":"promise","do":[{"op":"copyFrom","model":"m","fresh":true},{"op":"await","id":2,"promise":{"resolve":1,"delay":1}}]}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := script.Decode(text)
		if err != nil {
			if _, ok := errors.AsType[*script.FormatError](err); !ok {
				t.Fatalf("got %T %v, want a *FormatError", err, err)
			}
			return
		}
		if trace, _ := script.Run(p); trace == nil {
			t.Fatal("no trace")
		}
	})
}
