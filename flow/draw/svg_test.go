package draw_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
)

// needsGraphviz skips a test if the program dot isn't installed.
func needsGraphviz(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("dot"); err != nil {
		t.Skip("Graphviz isn't installed: ", err)
	}
}

// SVG writes one element that shows each name and refers to nothing outside.
func TestSVG(t *testing.T) {
	needsGraphviz(t)
	for name, plan := range plans() {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := draw.SVG(t.Context(), &got, plan); err != nil {
				t.Fatal(err)
			}
			texts := selfContained(t, got.Bytes())
			for tree := range plan.All() {
				if tree.Role == flow.RoleStep && !strings.Contains(texts, "\n"+tree.Path+"\n") {
					t.Errorf("%s isn't shown in %s", tree.Path, texts)
				}
			}
		})
	}
}

// A name is shown unchanged, whatever its characters mean to Graphviz.
func TestSVGShowsNames(t *testing.T) {
	needsGraphviz(t)
	for _, name := range []string{`"`, `\`, `\"`, `\\N \G \L`, `&amp;`, `&#65;`, `<b>x</b>`, `]>;}`, `<script>alert(1)</script>`, "дом"} {
		var got bytes.Buffer
		odd := &flow.Tree{Kind: name, Role: flow.RoleStep}
		if err := draw.SVG(t.Context(), &got, &flow.Tree{Role: flow.RolePlan, Holds: []*flow.Tree{odd}}); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if texts := selfContained(t, got.Bytes()); !strings.Contains(texts, "\n"+name+"\n") {
			t.Errorf("%q isn't in %q", name, texts)
		}
	}
}

// selfContained checks an SVG image, and returns its texts, one on each line.
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
			inText = x.Name.Local == "text"
			for _, a := range x.Attr {
				if a.Name.Local == "href" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("<%s> has %s=%q", x.Name.Local, a.Name.Local, a.Value)
				}
			}
			switch x.Name.Local {
			case "svg", "g", "title", "polygon", "polyline", "path", "text", "ellipse":
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
	return strings.ReplaceAll(texts, "\u00a0", " ")
}

func TestSVGWithoutGraphviz(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var out bytes.Buffer
	err := draw.SVG(t.Context(), &out, plans()["loop"])
	if !errors.Is(err, draw.ErrNoGraphviz) || !errors.Is(err, exec.ErrNotFound) || out.Len() != 0 {
		t.Errorf("got %v, %d bytes", err, out.Len())
	}
}

// fakeDot puts a program named dot in front of the PATH.
func fakeDot(t *testing.T, script string) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to stand for dot: ", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "dot"), []byte("#!"+shell+"\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

func TestSVGWhenDotFails(t *testing.T) {
	fakeDot(t, "echo no memory >&2\nexit 3\n")
	var out bytes.Buffer
	err := draw.SVG(t.Context(), &out, plans()["loop"])
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != 3 || !strings.Contains(err.Error(), "no memory") || out.Len() != 0 {
		t.Errorf("got %v, %d bytes", err, out.Len())
	}
	fakeDot(t, "echo hello\n")
	if err := draw.SVG(t.Context(), &out, plans()["loop"]); err == nil || out.Len() != 0 {
		t.Errorf("got %v, %q", err, out.String())
	}
}

func TestSVGIsCancelled(t *testing.T) {
	fakeDot(t, "while :; do :; done\n")
	cause := errors.New("too slow")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, cause)
	defer cancel()
	if err := draw.SVG(ctx, io.Discard, plans()["loop"]); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}
