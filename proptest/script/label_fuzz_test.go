package script_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/proptest/script"
)

// FuzzLabels: a break goes to the nearest loop with the same label (L1), and is an error if there is none (L3), for any
// characters in the labels.
func FuzzLabels(f *testing.F) {
	for _, labels := range [][3]string{
		{"A", "B", "A"}, {"A", "A", "A"}, {"A", "B", "C"}, {"", "B", ""}, {"a", "A", "a"},
		{"A ", " A", "A"}, {"\u00e9", "e\u0301", "\u00e9"}, {"0", "0.0", "00"}, {"\x00", "", "\x00"}, {"\n", "\u2028", "\r"},
	} {
		f.Add(labels[0], labels[1], labels[2])
	}
	f.Fuzz(func(t *testing.T, outer, inner, wanted string) {
		// compared in JSON, which changes text that isn't valid UTF-8
		outer, inner, wanted = inJSON(t, &outer), inJSON(t, &inner), inJSON(t, &wanted)
		got, err := script.Run(decoded(t, flow(fmt.Sprintf(
			`{"op":"loop","id":1,"label":%s,"do":[`+
				`{"op":"loop","id":2,"label":%s,"do":[{"op":"break","label":%s}]},`+
				`{"op":"add","step":{"id":3,"do":[{"op":"break"}]}}]}`, outer, inner, wanted))))
		if err != nil {
			t.Fatal(err)
		}
		events := []script.Event{`["iter",1,0]`, `["iter",2,0]`}
		end := script.Event(`["ok",[]]`)
		switch wanted {
		case inner:
			events = append(events, `["step",3]`)
		case outer:
		default:
			end = `["err","` + script.Event(fault.InternalError) + `"]`
		}
		want := &script.Trace{Strands: map[string][]script.Event{"0": events}, Out: []script.Event{end}}
		if diff := script.Diff(want, got); diff != "" {
			t.Errorf("break %s out of %s in %s: %s", wanted, inner, outer, diff)
		}
	})
}

// inJSON returns text as a JSON string.
func inJSON(t *testing.T, text *string) string {
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
