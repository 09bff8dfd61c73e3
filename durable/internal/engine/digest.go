package engine

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
)

// Plans holds the plans of a workflow by the names given to durable.Also; the plan of the workflow itself has the name "". The
// history of a run records them. The run continues with the same plans, or with plans that differ only by new patches and
// additional plans of durable.Also.
type Plans map[string]*flow.Tree

// normalized returns t without places in the source, and with the import path of package main in the names of types, so that the
// digest is the same in a program and in its tests. The digest includes the parameters of steps, because a run is repeated with
// the parameters that the program has.
func normalized(t *flow.Tree) *flow.Tree {
	c := *t
	c.Site = fault.Site{}
	c.In, c.Out = ofMain.ReplaceAllString(t.In, "${1}"+mainPath()), ofMain.ReplaceAllString(t.Out, "${1}"+mainPath())
	c.Holds = nil
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %q %v", c.Kind, c.Name, c.Role, c.In, c.Out, c.Edges)
	for _, p := range c.Parameters {
		fmt.Fprintf(h, " %q %q", p.Name, p.Value)
	}
	for _, held := range t.Holds {
		n := normalized(held)
		c.Holds = append(c.Holds, n)
		h.Write([]byte(n.Digest))
	}
	c.Digest = hex.EncodeToString(h.Sum(nil)[:16])
	return &c
}

var ofMain = regexp.MustCompile(`(^|[^\w./-])main\.`)

// mainPath returns the import path of package main and a dot. In a test of package main the names of its types begin with that
// path, in the program they begin with "main.". If the path isn't known, mainPath returns "main.".
var mainPath = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" && info.Path != "command-line-arguments" {
		return info.Path + "."
	}
	return "main."
})

// Digest returns a text that is the same for equal plans. The functions that their steps call have no effect on it.
func (r Plans) Digest() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r)) {
		fmt.Fprintf(h, "%q %s", name, r[name].Digest)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (r Plans) calls() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r)) {
		for t := range r[name].All() {
			fmt.Fprintf(h, "%q", t.Func)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Record is the form in which the history of a run stores the plans of its workflow.
type Record struct {
	Digest string `json:"digest"`
	Calls  string `json:"calls"` // a text that is the same for plans whose steps call the same functions
	Plans  []byte `json:"plans"` // JSON, compressed by gzip
}

// Same reports whether r and other are records of the same plans, whose steps call the same functions.
func (r Record) Same(other Record) bool { return r.Digest == other.Digest && r.Calls == other.Calls }

// Record returns r in the form in which a history stores it.
func (r Plans) Record() (Record, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(r); err != nil {
		return Record{}, err
	}
	if err := z.Close(); err != nil {
		return Record{}, err
	}
	return Record{r.Digest(), r.calls(), b.Bytes()}, nil
}

// Unpack returns the plans that [Plans.Record] has packed.
func (r Record) Unpack() (plans Plans, err error) {
	z, err := gzip.NewReader(bytes.NewReader(r.Plans))
	if err != nil {
		return nil, err
	}
	return plans, json.NewDecoder(z).Decode(&plans)
}

// Changed describes the differences between r and the plans with the record before, with which a run was executed. It returns "" if
// there are none. Patches and plans of durable.Also that were added don't count. now is the record of r.
func (r Plans) Changed(now, before Record) string {
	if before.Same(now) {
		return ""
	}
	plans, err := before.Unpack()
	if err != nil {
		return "the plan has changed since the run began, and the former one can't be read: " + err.Error()
	}
	then := r.when(plans)
	same := then.Digest() == before.Digest
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(plans)) {
		if same {
			changes = append(changes, swapped(name, plans[name], then[name])...)
			continue
		}
		for _, c := range flow.Diff(plans[name], then[name]) {
			changes = append(changes, strings.TrimSpace(name+" "+c.String()))
		}
	}
	if same && changes == nil {
		return ""
	}
	return strings.Join(slices.Concat([]string{"the plan has changed since the run began:"}, changes), "\n")
}

// swapped describes the steps without names that have exchanged their places, two of them or several in a circle. The plans have
// equal digests, so swapped compares the functions that the steps call. A function that was renamed isn't a change. If several
// steps that have changed called the same function before, neither they nor the step that calls it now are described.
func swapped(name string, before, now *flow.Tree) (changes []string) {
	was, is := slices.Collect(before.All()), slices.Collect(now.All())
	// place has, by function, the index of the step that called it before, and calls another one now; -1 if there are several.
	place := make(map[string]int)
	for i, t := range was {
		switch _, twice := place[t.Func]; {
		case t.Name != "" || t.Func == "" || t.Func == is[i].Func:
		case twice:
			place[t.Func] = -1
		default:
			place[t.Func] = i
		}
	}
	// around reports whether the way from step i to the step that called its function before, and so on, leads back to i.
	around := func(i int) bool {
		at := i
		for range place {
			from, gone := place[is[at].Func]
			if !gone || from < 0 || from == i {
				return gone && from == i
			}
			at = from
		}
		return false
	}
	for i, t := range was {
		if at, gone := place[t.Func]; gone && at == i && around(i) {
			changes = append(changes, strings.TrimSpace(name+" ~ "+t.Path+": "+t.Func+" → "+is[i].Func+", a step without a name that has changed its place"))
		}
	}
	return changes
}
