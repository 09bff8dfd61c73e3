package checks

import (
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Unrepeatable reports code of durable plans that isn't safe to repeat, because it gives another result or has an effect outside.
// After a restart an engine executes the plan again, and has recorded results only for bodies that run on goroutines, like those of
// step.Await. The check looks at the plans that are given to durable.New and durable.Also, and at what their bodies call, also in
// other packages. There is no fix: as.Now of the scope has the time, and code that must not be repeated belongs in a step.Await.
var Unrepeatable = honourMarkers(&analysis.Analyzer{
	Name: "unrepeatable",
	Doc: `report code of a durable plan that can't be repeated

An engine repeats the bodies of step.Map, step.Func and step.New, handlers, hooks and cleanups of a plan that is given to
durable.New. So the clock, random numbers, goroutines, the order of a map, files, the network, the environment and what is
printed must not be in them. Use as.Now for the time, and step.Await or step.Do for the rest.`,
	URL:       guide,
	Run:       unrepeatable,
	FactTypes: []analysis.Fact{new(changes), new(holdsChanges)},
})

// changes is the fact that a function can't be repeated.
type changes struct {
	What  string // "time.Now", "the order of a map"
	Class string
}

func (*changes) AFact() {}

func (c *changes) String() string { return "changes: " + c.What }

// holdsChanges is the fact that the plan in a variable, or a plan that a function builds, has bodies that can't be repeated.
type holdsChanges struct{ Places []changePlace }

// changePlace is a finding in a package that was analysed before.
type changePlace struct {
	What, Class string
	At          string // "plan.go:12"
}

func (*holdsChanges) AFact() {}

func (h *holdsChanges) String() string { return fmt.Sprint("holds changes: ", h.Places) }

// maxPlaces bounds the places of a fact.
const maxPlaces = 10

func unrepeatable(pass *analysis.Pass) (any, error) {
	if standard(pass) {
		return nil, nil
	}
	c := newChangeable(pass)
	if !trusted(pass.Pkg.Path()) {
		c.learn()
		c.export()
	}
	reported := map[token.Pos]bool{}
	for _, plan := range c.durable() {
		parts := newParts(c)
		parts.expr(plan)
		for _, f := range parts.found {
			if !reported[f.pos] {
				reported[f.pos] = true
				report(pass, f.pos, f.text())
			}
		}
	}
	return nil, nil
}

// finding is something that can't be repeated.
type finding struct {
	pos   token.Pos
	what  string // "time.Now", "the order of a map"
	via   string // the function or variable whose call leads to what; "" if what stands at pos itself
	into  string // for the order of a map: the result that depends on the order
	at    string // the place of what in another package; "" if it is in this one
	class class
}

// text returns the message of a finding: "today (time.Now) in a durable plan: …".
func (f finding) text() string {
	text := f.what
	if f.into != "" {
		text += " gets into " + f.into
	}
	if f.via != "" {
		text = fmt.Sprintf("%s (%s)", f.via, text)
	}
	if f.at != "" {
		text += " at " + f.at
	}
	return fmt.Sprintf("%s in a durable plan: %s", text, f.class)
}

// standard reports whether a package is of the standard library, whose functions are known by their names.
func standard(pass *analysis.Pass) bool {
	if pass.Module != nil && pass.Module.Path != "" {
		return pass.Module.Path == "std"
	}
	first, _, _ := strings.Cut(pass.Pkg.Path(), "/")
	return !strings.Contains(first, ".") && first != "command-line-arguments"
}

func trusted(path string) bool {
	rest, ok := strings.CutPrefix(path, library)
	if !ok {
		return false
	}
	first, _, _ := strings.Cut(rest, "/")
	return planPackages[first]
}

// planPackages names the packages of the library that plans are made of. Bodies may call their functions.
var planPackages = set("binval", "cron", "debug", "durable", "fault", "flow", "grpcx", "httpx", "internal", "loopx", "observe", "retry",
	"share", "sqlx", "step", "stream", "syncx", "tool")
