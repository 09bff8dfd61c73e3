package draw_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestMarks(t *testing.T) {
	s := flow.Named("work", step.Map(same))
	plan := flow.Describe(flow.Catch(flow.Par(s, s, s, s), func(step.Scope, error) step.Next[[]int] { return step.Unwind[[]int]() }))
	marks := draw.Marks{
		"0/par.0/0": {State: draw.Running, Note: "for 3s"},
		"0/par.1/0": {State: draw.Waiting},
		"0/par.2/0": {State: draw.Failed, Note: "twice"},
		"0":         {Note: "the fork"},
		"7":         {State: draw.Failed, Note: "nowhere"},
		"0/par.3/0": {State: `"] [x="`},
	}
	last := draw.Marks{"0/par.2/0": {State: draw.Failed, Note: "\"<b>\n"}}
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

// In SVG the groups of marked steps have a class, for style sheets, and may be links.
func TestMarksInSVG(t *testing.T) {
	plan := flow.Describe(flow.Then(flow.Named("work", step.Map(same)), step.Map(same)))
	for _, c := range []struct {
		reason string
		mark   draw.Mark
		want   string
	}{
		{"state", draw.Mark{State: draw.Waiting}, `<g class="leaf works waiting">`},
		{"note", draw.Mark{State: draw.Failed, Note: "<for> 3s"}, `>&lt;for&gt; 3s</text></g>`},
		{"link", draw.Mark{Link: `a?b=1&c="`}, `<a href="a?b=1&amp;c=&#34;"><g class="leaf works">`},
		{"a picture with links is no image", draw.Mark{Link: "a"}, `role="group"`},
		{"no link", draw.Mark{}, `role="img"`},
		{"a state that isn't one of the package", draw.Mark{State: `"><script>`}, `<g class="leaf works"><title>map &#34;work&#34;`},
	} {
		var svg bytes.Buffer
		if err := draw.SVG(&svg, plan, draw.Marks{"0": {Note: "earlier"}}, draw.Marks{"0": c.mark}); err != nil {
			t.Fatal(err)
		}
		if got := svg.String(); !strings.Contains(got, c.want) || strings.Contains(got, "earlier") {
			t.Errorf("%s: %s isn't in\n%s", c.reason, c.want, got)
		}
	}
}

// What runs on another loop is no handler.
func TestOnIsAGroup(t *testing.T) {
	var svg bytes.Buffer
	if err := draw.SVG(&svg, flow.Describe(flow.On(new(tool.Group), flow.Chain(step.Map(same), step.Map(same))))); err != nil {
		t.Fatal(err)
	}
	if got := svg.String(); strings.Contains(got, ` rescue"`) {
		t.Errorf("it has the sign of a handler:\n%s", got)
	}
}
