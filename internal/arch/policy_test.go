package arch

const modulePath = "github.com/futoin-go/asyncsteps"

// public stands for every package of the project outside internal/.
const public = "public"

// graph lists what the non-test files of each package may import of this project. Imports run downwards only: a row names rows
// above it. Test files may import any package of the project.
//
// loopx, syncx, retry, stream and share return flow.Plan, so that plans of all packages compose, and don't know each other, so
// that each can be read, and left out, by itself. None imports the machine, internal/frame: they meet it through plan, where the
// types are, and op, where their steps are, syncx through guard and private, too, and share through private.
var graph = []struct {
	pkg string // a folder; "x/..." is x and every folder below
	may []string
}{
	{"fault", nil},
	{"config", nil},
	{"internal/jsonpolicy", []string{"config"}},
	{"internal/goid", nil},
	{"internal/queue", nil},
	{"internal/reserve", []string{"internal/goid"}},
	{"internal/drive", []string{"internal/goid", "internal/queue", "internal/reserve"}},
	{"internal/primary", []string{"fault"}}, // used by the module grpcx, too
	{"tool", []string{"fault", "internal/primary", "internal/goid", "internal/queue", "internal/reserve", "internal/drive"}},
	{"internal/parts", nil},
	{"tool/tooltest", []string{"fault", "internal/goid", "internal/queue", "internal/drive", "internal/parts", "tool"}},

	{"internal/site", []string{"fault"}},
	{"internal/usercode", []string{"fault", "tool"}},
	{"internal/frame", []string{"fault", "internal/goid", "internal/queue", "internal/reserve", "internal/drive", "tool", "internal/site", "internal/usercode"}},
	{"internal/private", []string{"fault", "internal/goid", "internal/queue", "internal/drive", "tool", "internal/usercode", "internal/frame"}},
	{"internal/plan", []string{"fault", "internal/goid", "tool", "internal/usercode", "internal/site", "internal/frame", "internal/private"}},
	{"internal/clock", []string{"tool"}},
	{"internal/mapkey", []string{"fault"}},
	{"internal/guard", []string{"fault", "tool", "internal/site", "internal/frame"}},
	{"internal/op", []string{"fault", "tool", "internal/reserve", "internal/usercode", "internal/site", "internal/frame", "internal/guard", "internal/private", "internal/plan", "internal/clock", "internal/mapkey"}},

	{"step", []string{"fault", "tool", "internal/frame", "internal/private", "internal/plan", "internal/op"}},

	{"flow", []string{"fault", "tool", "internal/usercode", "internal/private", "internal/plan", "internal/op", "step"}},
	{"flow/draw", []string{"fault", "flow"}},
	{"loopx", []string{"fault", "tool", "internal/usercode", "internal/plan", "internal/op", "step", "flow"}},
	{"syncx", []string{"fault", "config", "internal/jsonpolicy", "tool", "internal/usercode", "internal/guard", "internal/private", "internal/plan", "internal/clock", "internal/mapkey", "internal/op", "step", "flow"}},
	{"retry", []string{"fault", "config", "internal/primary", "tool", "internal/plan", "internal/op", "step", "flow"}},
	{"stream", []string{"fault", "tool", "internal/usercode", "internal/plan", "internal/op", "step", "flow"}},
	{"share", []string{"fault", "config", "internal/jsonpolicy", "internal/primary", "tool", "internal/usercode", "internal/private", "internal/plan", "internal/clock", "internal/mapkey", "internal/op", "step", "flow"}},

	{"internal/remote", []string{"fault", "internal/primary", "internal/plan", "internal/op", "step", "flow", "retry"}},
	{"httpx", []string{"fault", "config", "internal/jsonpolicy", "internal/primary", "internal/remote", "internal/op", "tool", "step", "flow", "retry", "syncx"}},
	{"cron", []string{"fault", "tool", "config", "internal/jsonpolicy", "internal/usercode", "internal/plan", "internal/op", "step", "flow", "loopx"}},
	{"sqlx", []string{"fault", "internal/op", "step", "flow", "syncx"}},

	// used by the modules syncx/nats and syncx/redis
	{"internal/cluster", []string{"fault", "syncx"}},

	{"observe", []string{"fault", "tool", "internal/frame", "internal/plan", "internal/op", "step", "flow"}},
	{"observe/timeline", []string{"fault", "observe"}},
	{"debug", []string{"fault", "tool", "internal/guard", "step", "flow", "flow/draw", "syncx", "cron", "observe"}},

	{"internal/registry", nil},
	{"binval", []string{"fault", "internal/registry", "step"}},
	{"internal/dyn", []string{"fault", "tool", "binval", "internal/site", "internal/frame", "internal/guard", "internal/plan"}},
	{"binval/internal/table", []string{"fault", "internal/guard", "syncx"}},
	{"binval/internal/envoy", []string{"fault", "tool", "binval", "internal/guard", "internal/dyn"}},
	{"binval/cabi", []string{
		"fault", "tool", "internal/registry", "binval", "binval/internal/table", "binval/internal/envoy", "internal/drive", "internal/frame", "internal/guard", "internal/plan",
		"internal/dyn", "internal/usercode", "step", "syncx",
	}},
	{"cmd/libfutoin", []string{"tool", "binval", "binval/cabi", "internal/drive", "syncx"}},
	{"proptest/explore", []string{public, "internal/parts", "internal/usercode"}},
	{"internal/counters", nil},
	{"internal/combinatortest", []string{"step", "flow", "retry", "stream", "share", "syncx"}},
	{"proptest/growth/program", []string{public, "internal/counters", "internal/combinatortest"}},
	{"proptest/...", []string{public}},
	{"examples/...", []string{public}},

	// used only by tests, and by each other
	{"internal/arch", nil},
	{"internal/docscheck/ways", []string{"fault", "tool", "step", "flow", "internal/counters"}},
	{"internal/leaktest", nil},
	{"internal/handlertest", nil},
	{"internal/browsertest", nil},
	{"internal/picturetest", []string{"fault", "flow", "flow/draw", "internal/browsertest"}},
	{"internal/racetest", nil},
	{"internal/seedtest", nil},
	{"internal/plantest", []string{"fault", "tool/tooltest", "step", "flow"}},
	{"internal/cluster/clustertest", []string{"fault", "flow", "step", "syncx", "internal/cluster", "tool/tooltest"}},
	{"binval/internal/...", nil},
	{"binval/cabi/internal/...", []string{"binval"}},
}

// foreign lists packages of other projects that every package may import: constraints has only type sets and links nothing.
var foreign = []string{"golang.org/x/exp/constraints"}

// testOnly lists modules of other projects that only tests and the packages below proptest may import. All other imports from
// outside of the project, but for those in foreign, come from the standard library.
var testOnly = []string{"pgregory.net/rapid", "github.com/google/go-cmp"}

// pattern names files that a rule exempts: a path.Match pattern, or "x/..." for the files in x and below.
type pattern = string

// Exceptions to the rules. Test files are exempt as well, except from the rules of unsafeIn and seedIn.
var (
	unsafeIn = []pattern{"binval/...", "cmd/libfutoin/...", "internal/plan/cell.go"}

	goIn = []pattern{"internal/cluster/clustertest/*.go", "tool/*.go", "internal/op/await*.go", "internal/reserve/*.go", "examples/..."}

	clockIn = []pattern{"internal/browsertest/*.go", "internal/cluster/clock.go", "internal/cluster/clustertest/*.go", "tool/*.go", "observe/*.go", "internal/leaktest/*.go", "httpx/deadline.go", "httpx/download.go", "httpx/events.go", "examples/..."}

	recoverIn = []pattern{"internal/frame/*.go", "internal/usercode/*.go", "tool/*.go", "tool/tooltest/*.go", "fault/find.go", "internal/primary/primary.go"}

	// TestDiff has its own flag for the seed.
	seedIn = []pattern{"difftest/*.go"}
)

// seeded lists what tests may use of math/rand and math/rand/v2. Functions such as IntN draw from a source with another seed in
// each process.
var seeded = []string{"New", "NewPCG", "NewChaCha8", "NewSource", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf"}

// clock lists what may be called only in clockIn. time.Until is missing: httpx needs it to turn a context's deadline into a
// duration.
var clock = map[string][]string{
	"time": {
		"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick",
	},
	"context": {"WithDeadline", "WithDeadlineCause", "WithTimeout", "WithTimeoutCause"},
}

// untyped lists the exported names that may have any, as path.Match patterns of "package.Name" or "package.Type.Member", each
// with a reason.
var untyped = []struct{ name, reason string }{
	{"flow.Model.State", "the state variables of FTN12 are dynamic"},
	{"fault.Panic.Value", "the language lets anything be given to panic"},
	{"tool.PanicError.Value", "the language lets anything be given to panic"},
	{"step.State.*", "the state of a run is a dynamic map; step.Var is its typed face"},
	{"binval.*Custom*", "a custom object is opaque to this library"},
	{"binval.*.*Custom*", "a custom object is opaque to this library"},
}

// maxLines is the largest number of lines of a file; most should have less than a third. In the machine, where one file holds
// one noun, it is machineLines.
const (
	maxLines     = 400
	machineLines = 250
)
