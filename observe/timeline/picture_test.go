package timeline_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/timeline"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// textsOf returns the texts of an SVG image, which must be well formed and unable to execute anything.
func textsOf(t *testing.T, image []byte) string {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(image))
	d.Strict = true
	var all strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatalf("not well formed: %v\n%s", err, image)
		}
		switch x := token.(type) {
		case xml.StartElement:
			switch x.Name.Local {
			case "svg", "title", "style", "g", "rect", "text", "tspan", "line", "path":
			default:
				t.Errorf("element <%s>", x.Name.Local)
			}
			for _, a := range x.Attr {
				if a.Name.Local == "href" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("<%s> has %s=%q", x.Name.Local, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			all.Write(x)
			all.WriteByte('\n')
		}
	}
}

func picture(t *testing.T, runs ...observe.Recording) string {
	t.Helper()
	var svg, page bytes.Buffer
	if err := errors.Join(timeline.WriteSVG(&svg, runs...), timeline.WriteHTML(&page, runs...)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page.Bytes(), svg.Bytes()) {
		t.Error("the page doesn't have the picture")
	}
	_, tables, _ := strings.Cut(page.String(), "</svg>")
	if strings.Contains(tables, "<script") || strings.Contains(tables, "<b>") {
		t.Errorf("the page has what a name has:\n%s", tables)
	}
	return textsOf(t, svg.Bytes())
}

func recordRun(t *testing.T, limit int, s step.Step[int, int], do func(*tooltest.Loop)) []observe.Recording {
	t.Helper()
	rec := observe.NewRecorder(limit)
	l := tooltest.New()
	r := flow.Start(observe.With(context.Background(), rec), l, s, 0)
	do(l)
	runs := numbered(rec.Runs())
	r.Cancel(nil)
	l.Run()
	return runs
}

func TestAnyText(t *testing.T) {
	bad := "<b>\"&'</title><script>alert(1)</script>\x00\xff\u202e\ufffe\n]]>"
	failed := delayed(bad, 0, fault.New(fault.Code(bad), bad))
	runs := recordRun(t, 100, failed, func(l *tooltest.Loop) { l.Run() })
	got := picture(t, runs...)
	if want := `"<b>\"&'</title><script>alert(1)</script>\x00\xff\u202e\ufffe\n]]>"`; !strings.Contains(got, want) {
		t.Errorf("no %s in\n%s", want, got)
	}
	for _, e := range trace(t, runs) {
		if strings.ContainsAny(e.Name+e.Args["code"], "\x00\u202e\n") {
			t.Errorf("%+v", e)
		}
	}
}

func TestNothing(t *testing.T) {
	if got := picture(t); !strings.Contains(got, "0s") {
		t.Errorf("an empty picture has no scale: %s", got)
	}
	if got := picture(t, observe.Recording{}); !strings.Contains(got, "still running") {
		t.Errorf("a run without events: %s", got)
	}
}

func TestRunThatGoesOn(t *testing.T) {
	runs := recordRun(t, 100, delayed("nap", time.Hour, nil), func(l *tooltest.Loop) { l.Step() })
	got := picture(t, runs...)
	for _, want := range []string{"#1 nap: still running", "0 nap: 0s to 0s, 0s, end not recorded"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestEventsThatAreLost(t *testing.T) {
	runs := recordRun(t, 3, flow.Then(delayed("nap", time.Hour, nil), delayed("nap", time.Hour, nil)), func(l *tooltest.Loop) { l.Run() })
	got := picture(t, runs...)
	for _, want := range []string{"ended with a value (5 events not recorded)", "0 nap: 0s to 2h0m0s, 2h0m0s, end not recorded"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Steps of the same path and name are one row only if the same step holds them.
func TestStepsOfHandlerAreRowsOfTheirOwn(t *testing.T) {
	first := flow.Then(flow.Named("first", flow.Call(delayed("work", time.Second, errDown))), delayed("then", 0, nil))
	plan := flow.Catch(first, func(as step.Scope, _ error) step.Next[int] {
		return step.Into(as, flow.Named("second", flow.Call(delayed("work", time.Second, nil))), 0)
	})
	got := picture(t, recordRun(t, 100, plan, func(l *tooltest.Loop) { l.Run() })...)
	if n := strings.Count(got, "\nwork \n"); n != 2 || strings.Contains(got, "×2") {
		t.Errorf("%d rows for work, want 2:\n%s", n, got)
	}
}

func TestDeepPlan(t *testing.T) {
	s := delayed("leaf", time.Second, nil)
	for i := range 500 {
		s = flow.Named(fmt.Sprint("level", i), flow.Call(s))
	}
	runs := recordRun(t, 100_000, s, func(l *tooltest.Loop) { l.Run() })
	if got := picture(t, runs...); !strings.Contains(got, "leaf") || !strings.Contains(got, "level0") {
		t.Error("a level is missing")
	}
	checkTrace(t, trace(t, runs))
}
