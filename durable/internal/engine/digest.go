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

// Plans holds the plans of a workflow by the names given to durable.Also; the name of its own plan is "". A run records
// them when it starts, and goes on only with the same ones.
type Plans map[string]*flow.Tree

// normalized returns t without what differs between builds of the same program: places in the source, and the path of
// package main, which has another name in a test.
func normalized(t *flow.Tree) *flow.Tree {
	c := *t
	c.Site, c.Parameters = fault.Site{}, nil
	c.In, c.Out = ofMain.ReplaceAllString(t.In, "${1}"+mainPath()), ofMain.ReplaceAllString(t.Out, "${1}"+mainPath())
	c.Holds = nil
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %q %v", c.Kind, c.Name, c.Role, c.In, c.Out, c.Edges)
	for _, held := range t.Holds {
		n := normalized(held)
		c.Holds = append(c.Holds, n)
		h.Write([]byte(n.Digest))
	}
	c.Digest = hex.EncodeToString(h.Sum(nil)[:16])
	return &c
}

// ofMain matches types of package main in the name of a type.
var ofMain = regexp.MustCompile(`(^|[^\w./-])main\.`)

// mainPath returns the import path of package main and a dot. Tests of that package use it in names of types.
var mainPath = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" && info.Path != "command-line-arguments" {
		return info.Path + "."
	}
	return "main."
})

// Digest returns a text that is the same for equal plans.
func (r Plans) Digest() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r)) {
		fmt.Fprintf(h, "%q %s", name, r[name].Digest)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Record is the form in which the history of a run stores its plans.
type Record struct {
	Digest string `json:"digest"`
	Plans  []byte `json:"plans"` // JSON, compressed by gzip
}

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
	return Record{r.Digest(), b.Bytes()}, nil
}

// Unpack returns the plans that [Plans.Record] has packed.
func (r Record) Unpack() (plans Plans, err error) {
	z, err := gzip.NewReader(bytes.NewReader(r.Plans))
	if err != nil {
		return nil, err
	}
	return plans, json.NewDecoder(z).Decode(&plans)
}

// Changed describes the differences between the plans that a run has begun with and r. It returns "" if there are none
// but patches. now is the digest of r.
func (r Plans) Changed(now string, before Record) string {
	if before.Digest == now {
		return ""
	}
	plans, err := before.Unpack()
	if err != nil {
		return "the plan has changed since the run began, and the former one can't be read: " + err.Error()
	}
	then := r.when(plans)
	if then.Digest() == before.Digest {
		return ""
	}
	var b strings.Builder
	b.WriteString("the plan has changed since the run began:")
	for _, name := range slices.Sorted(maps.Keys(plans)) {
		for _, c := range flow.Diff(plans[name], then[name]) {
			b.WriteString("\n" + strings.TrimSpace(name+" "+c.String()))
		}
	}
	return b.String()
}
