package draw_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/step"
)

func TestMarks(t *testing.T) {
	s := flow.Named("work", step.Map(same))
	plan := flow.Describe(flow.Catch(flow.Par(s, s, s, s), func(step.Scope, error) step.Next[[]int] { return step.Unwind[[]int]() }))
	marks := draw.Marks{
		"0/par.0/0": {draw.Running, "for 3s"},
		"0/par.1/0": {State: draw.Waiting},
		"0/par.2/0": {draw.Failed, "twice"},
		"0":         {Note: "the fork"},
		"7":         {draw.Failed, "nowhere"},
		"0/par.3/0": {State: `"] [x="`},
	}
	last := draw.Marks{"0/par.2/0": {draw.Failed, "\"<b>\n"}}
	var dot, mmd bytes.Buffer
	if err := draw.DOT(&dot, plan, marks, last); err != nil {
		t.Fatal(err)
	}
	if err := draw.Mermaid(&mmd, plan, marks, last); err != nil {
		t.Fatal(err)
	}
	for text, wants := range map[string][]string{
		dot.String(): {
			`0/par.0/0\nint → int\nfor 3s" style=filled fillcolor="#bfe3c9" class=running]`,
			`0/par.1/0\nint → int" style=filled fillcolor="#ffdf99" class=waiting]`,
			`0/par.2/0\nint → int\n\"\\\"<b>\\n\"" style=filled fillcolor="#ffc9c2" penwidth=2 class=failed]`,
			`n1 [label="par\n0\nint → []int\nthe fork"]`,
			`0/par.3/0\nint → int"]`,
		},
		mmd.String(): {"0/par#46;0/0<br>int → int<br>for 3s", "style n3 fill:#bfe3c9", "fill:#ffc9c2,color:#000,stroke-width:2px", "<br>the fork"},
	} {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s isn't in\n%s", want, text)
			}
		}
		if n := strings.Count(text, "the fork"); n != 1 {
			t.Errorf("the handler, which has the same path, is marked too:\n%s", text)
		}
		if strings.Contains(text, "nowhere") || strings.Contains(text, "twice") {
			t.Errorf("a mark of no step, or an earlier one:\n%s", text)
		}
	}
}

// In SVG the groups of marked steps have a class, for style sheets.
func TestMarksInSVG(t *testing.T) {
	needsGraphviz(t)
	plan := flow.Describe(flow.Named("work", step.Map(same)))
	var svg bytes.Buffer
	if err := draw.SVG(t.Context(), &svg, plan, draw.Marks{"0": {draw.Waiting, "for 3s"}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`class="node waiting"`, `fill="#ffdf99"`, ">for 3s<"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("%s isn't in\n%s", want, svg.String())
		}
	}
}
