package planlaws

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// The machine keeps this law, so the check is tested with made-up results.
func TestCancelledIsChecked(t *testing.T) {
	stop := fault.Wrap(fault.Cancelled, "", errStop)
	for _, tt := range []struct {
		o      outcome[int]
		broken bool
	}{
		{outcome[int]{cancelled: true}, true},
		{outcome[int]{cancelled: true, err: fault.New("Bad", "")}, true},
		{outcome[int]{cancelled: true, err: fault.New(fault.Cancelled, "by somebody else")}, true},
		{outcome[int]{cancelled: true, err: stop}, false},
		{outcome[int]{err: fault.New("Bad", "")}, false},
	} {
		w := &World{loop: tooltest.New(), ended: true}
		broken := new(Subject[int, int]).judge(w, 0, tt.o, incident{kind: cancels})
		if got := len(broken) == 1 && broken[0].Law == Cancelled; got != tt.broken {
			t.Errorf("%+v: found %v", tt.o, broken)
		}
	}
}

func TestDifferences(t *testing.T) {
	base := outcome[int]{out: 1, err: errStop, trace: []string{"a"}, observed: []string{"x"}, took: 1}
	for name, change := range map[string]func(o *outcome[int]){
		"a line":      func(o *outcome[int]) { o.trace = []string{"b"} },
		"a line more": func(o *outcome[int]) { o.trace = []string{"a", "b"} },
		"no line":     func(o *outcome[int]) { o.trace = nil },
		"an event":    func(o *outcome[int]) { o.observed = []string{"y"} },
		"the error":   func(o *outcome[int]) { o.err = errors.New("another") },
		"the result":  func(o *outcome[int]) { o.out = 2 },
		"the time":    func(o *outcome[int]) { o.took = 2 },
	} {
		other := base
		change(&other)
		if differs(base, other, true) == "" || differs(other, base, true) == "" {
			t.Errorf("%s: not found", name)
		}
		if found := differs(base, other, false) != ""; found != (name != "an event") {
			t.Errorf("%s: without events it is found: %t", name, found)
		}
	}
	if what := differs(base, base, true); what != "" {
		t.Errorf("the same differs: %s", what)
	}
}

func TestCasesAreReadAsWritten(t *testing.T) {
	for _, c := range []incident{
		{kind: plain}, {kind: fresh}, {kind: again}, {kind: unobserved}, {kind: cancels, at: 3}, {kind: limits},
		{kind: failsCall, at: 1}, {kind: panicsCall, at: 20}, {kind: scheduled}, {kind: scheduled, schedule: []int{0, 2, 1}},
	} {
		text := fmt.Sprintf("7/%v", c)
		input, read, err := parseCase(text)
		if err != nil || input != 7 || read.String() != c.String() || c.story() == "" {
			t.Errorf("%s is read as %d/%v, %v", text, input, read, err)
		}
	}
	for _, text := range []string{"", "x/plain", "-1/plain", "0", "0/", "0/other", "0/plain=1", "0/cancel", "0/cancel=x", "0/error=-1", "0/schedule=x"} {
		if _, c, err := parseCase(text); err == nil {
			t.Errorf("%q is read as %v", text, c)
		}
	}
}

// docs/internals/laws.md lists the laws with their numbers and statements.
func TestTableOfLaws(t *testing.T) {
	text, err := os.ReadFile("../../docs/internals/laws.md")
	if err != nil {
		t.Fatal(err)
	}
	for law := Valid; law <= Judged; law++ {
		number, statement, _ := strings.Cut(law.String(), ": ")
		if row := "| " + number + " | " + statement + " |"; !strings.Contains(string(text), row) {
			t.Errorf("there is no %s", row)
		}
	}
	if got := Law(99).String() + Law(0).String(); got != "Law(99)Law(0)" {
		t.Errorf("no law is %s", got)
	}
}
