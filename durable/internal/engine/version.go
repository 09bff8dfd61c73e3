package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/futoin-go/asyncsteps/flow"
)

// Identity is the name by which an engine calls a body, and the version of the plan. On Temporal, a worker refuses calls for other
// versions.
type Identity struct {
	Name    any // a string, as the SDK of Temporal takes it
	Version string
	After   string // Versioned(Version)
}

// Refusal returns the reason why a program doesn't execute a call of k that was made for another version of the plan.
func (k Known) Refusal(version string) string {
	return "the call of " + k.Name + " is of another version of the plan, " + version + ": this worker has " + k.Version
}

// versions holds the version of each body of a plan. For a body in the present part of a patch the key is the path of the body, up
// to the name of the innermost such patch and the slash behind that name. For other bodies the key is "".
//
// A body without a name is found by its path, at which another body may stand when the plan has changed. So each call on Temporal has
// the version of its body. A patch doesn't change the versions of bodies outside of it: a worker with a new patch continues older runs.
type versions map[string]string

func versionsOf(plan *flow.Tree) versions {
	before := func(t *flow.Tree) string {
		return normalized(Resolved(t, func(string) Version { return Former })).Digest
	}
	v := versions{"": before(plan)}
	for t := range plan.All() { // a patch comes before the patches in it
		name, _, now, _, ok := parts(t)
		if !ok {
			continue
		}
		h := sha256.New()
		h.Write([]byte(v.of(t.Path)))
		for _, part := range now {
			h.Write([]byte(before(part)))
		}
		v[t.Path+"/patch."+name+"/"] = hex.EncodeToString(h.Sum(nil))
	}
	return v
}

func (v versions) of(path string) string {
	begin := ""
	if in := inPatch.FindAllStringIndex(path, -1); in != nil {
		begin = path[:in[len(in)-1][1]]
	}
	const enough = 12 // digits, to tell the few versions of a plan apart
	return v[begin][:enough]
}

// Versioned returns the end of the id of an activity, which follows the key of the call.
func Versioned(version string) string { return "@" + version }

// ParseCall splits the id of an activity into the key of the call, without the id of the run, and the version, which is "" if the
// id has none.
func ParseCall(id string) (call, version string) {
	if at := strings.LastIndexByte(id, '@'); at >= 0 {
		return id[:at], id[at+1:]
	}
	return id, ""
}
