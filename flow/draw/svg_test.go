package draw_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/step"
)

// SVG writes one element that has the path of each step in a text and refers to nothing outside.
func TestSVGIsSelfContained(t *testing.T) {
	for name, plan := range plans() {
		var got bytes.Buffer
		if err := draw.SVG(&got, plan); err != nil {
			t.Fatal(err)
		}
		texts := selfContained(t, got.Bytes())
		for tree := range plan.All() {
			if tree.Role == flow.RoleStep && !strings.Contains(texts, "\n"+tree.Path+"\n") {
				t.Errorf("%s: %s isn't in %s", name, tree.Path, texts)
			}
		}
	}
}

// Steps whose body may ask somebody else have the theme of calls.
func TestSVGOfCalls(t *testing.T) {
	for name, tree := range map[string]*flow.Tree{
		"Await":     flow.Describe(step.Await(func(context.Context, int) (int, error) { return 0, nil })),
		"Do":        flow.Describe(step.Do(func(context.Context, int) error { return nil })),
		"Act":       flow.Describe(step.Act(func(context.Context) error { return nil })),
		"AwaitChan": flow.Describe(flow.AwaitChan(func(context.Context, int) <-chan int { return nil })),
		"AwaitRun":  flow.Describe(flow.AwaitRun(func(context.Context, int) *flow.Running[int] { return nil })),
	} {
		var got bytes.Buffer
		if err := draw.SVG(&got, tree); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got.String(), `<g class="leaf calls">`) {
			t.Errorf("%s: there is no sign of calls", name)
		}
	}
}

func set(name, value string) flow.Parameter { return flow.Parameter{Name: name, Value: value} }

// A box has the name first, then the kind, then the parameters, and only as much of a text as there is room for.
func TestSVGText(t *testing.T) {
	long := strings.Repeat("ж", 100)
	for _, c := range []struct {
		reason string
		step   flow.Tree
		want   string
	}{
		{"name", flow.Tree{Kind: "await", Name: "bank", Func: "charge"}, "\nbank\nawait charge\n"},
		{"function", flow.Tree{Kind: "await", Func: "charge"}, "\ncharge\nawait\n"},
		{"kind", flow.Tree{Kind: "await"}, "\nawait\n"},
		{"parameters", flow.Tree{Kind: "retry", Parameters: []flow.Parameter{set("tries", "3"), set("pause", "1s")}}, "\nretry\ntries 3, pause 1s\n"},
		{"kind and parameters", flow.Tree{Kind: "retry", Name: "bank", Parameters: []flow.Parameter{set("tries", "3")}}, "\nbank\nretry · tries 3\n"},
		{"long name", flow.Tree{Kind: "map", Name: long}, "\n" + strings.Repeat("ж", 44) + "…\nmap\n"},
		{"many parameters", flow.Tree{Kind: "map", Parameters: []flow.Parameter{set("a", long), set("b", long), set("c", "1"), set("d", long), set("e", long), set("f", long)}}, "\n…\n"},
	} {
		var got bytes.Buffer
		c.step.Role = flow.RoleStep
		if err := draw.SVG(&got, &flow.Tree{Role: flow.RolePlan, Holds: []*flow.Tree{&c.step}}); err != nil {
			t.Fatal(err)
		}
		if texts := selfContained(t, got.Bytes()); !strings.Contains(texts, c.want) {
			t.Errorf("%s: %q isn't in %q", c.reason, c.want, texts)
		}
	}
}

// Names can't break out of their text: whatever they are, the picture has four boxes and the usual kinds of elements.
func FuzzSVG(f *testing.F) {
	for _, text := range odd {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got bytes.Buffer
		if err := draw.SVG(&got, named(text)); err != nil {
			t.Fatal(err)
		}
		texts := selfContained(t, got.Bytes())
		if n := bytes.Count(got.Bytes(), []byte("<g ")); n != 4 {
			t.Errorf("%d boxes", n)
		}
		if len([]rune(text)) < 40 && text != "" && shown(text) && strings.Count(texts, "\n"+text+"\n") < 2 {
			t.Errorf("%q isn't in %q", text, texts)
		}
	})
}

// selfContained checks an SVG image without links, and returns its texts, each followed by a line break.
func selfContained(t *testing.T, svg []byte) string {
	t.Helper()
	texts := "\n"
	depth, roots := 0, 0
	inText := false
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch x := token.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			depth++
			inText = x.Name.Local == "text" || x.Name.Local == "title"
			for _, a := range x.Attr {
				if a.Name.Local == "href" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("<%s> has %s=%q", x.Name.Local, a.Name.Local, a.Value)
				}
			}
			switch x.Name.Local {
			case "svg", "style", "g", "title", "rect", "path", "text":
			default:
				t.Errorf("element <%s>", x.Name.Local)
			}
		case xml.EndElement:
			depth--
			inText = false
		case xml.CharData:
			if inText {
				texts += string(x) + "\n"
			}
		case xml.ProcInst, xml.Directive:
			t.Errorf("%T", x)
		}
	}
	if roots != 1 {
		t.Errorf("%d elements at the top", roots)
	}
	return texts
}
