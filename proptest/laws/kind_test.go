package laws_test

import "slices"

// construct describes a kind of stage for the laws.
type construct struct {
	kind   kind
	name   string // in the file of drawn programs
	branch string // the name in paths of a branch that is the same flow as its step
	// weight is how often the kind is drawn, compared with others; nil if it isn't drawn.
	weight func(g *generator, at place) int
	draw   func(g *generator, n *node, depth int) // fills a node; nil stands for one stage inside
	build  func(b *builder, n *node) stage
	head   func(n *node) string // the text before the stages inside, or before the body
	// ops compiles the steps; nil stands for one step, which holds those of the first stage inside.
	ops     func(n *node) []*op
	perform func(s *fiber, f *frame, in int) result // executes a step of the kind oPlain
}

type kind uint8

// Kinds are drawn in this order, so another order makes other programs. Those up to kAwait have no stages inside.
const (
	kMap     kind = iota // step.Map
	kFunc                // step.Func: a body without waits, sub-steps and signals
	kNew                 // step.New: any body
	kValue               // flow.Value
	kAwait               // step.Await: body waits, then succeeds or fails
	kChain               // flow.Then, flow.Chain
	kCatch               // flow.Catch
	kLimit               // flow.Timeout
	kHook                // flow.OnCancel
	kNamed               // flow.Named
	kCall                // flow.Call
	kCopy                // flow.CopyFrom
	kPar                 // flow.Par, Par2, Par3, then the sum of the results
	kEach                // flow.ParEach, then the sum of the results
	kRepeat              // loopx.Repeat
	kLoop                // loopx.Loop, whose turns are counted by a step that breaks
	kList                // loopx.Each, EachMap, EachSeq, EachSeq2
	kSync                // syncx.Sync
	kRetry               // retry.Of, without pauses
	kTry                 // flow.Try, then a number that tells of the error
	kCarry               // flow.Carry, then the sum of both; or flow.Tap
	kRace                // flow.First, Race, Hedge; Some, then a sum that tells the order
	kShield              // flow.Shield
	kGrace               // flow.Grace
	kBracket             // flow.Bracket
	kSaga                // flow.Saga
	kUndo                // flow.Undo
	kGraph               // flow.Graph; a node that takes several values gets their sum
	kTasks               // Tasks.All, then a sum that tells the order; Completed, then a sum; First
	kLinger              // flow.Linger, in law 84 only
)

// constructs is indexed by kind.
var constructs []construct

func init() { //nolint:gochecknoinits // the kinds draw each other
	constructs = slices.Concat(plainKinds(), aroundKinds(), forkKinds(), loopKinds(), holdKinds())
	slices.SortFunc(constructs, func(a, b construct) int { return int(a.kind) - int(b.kind) })
	for i := range constructs {
		if int(constructs[i].kind) != i {
			panic("a kind is missing or there twice")
		}
		if constructs[i].draw == nil {
			constructs[i].draw = (*generator).inside
		}
	}
}

func (n *node) construct() *construct { return &constructs[n.kind] }

func (k kind) String() string { return constructs[k].name }

// sameFlow reports whether a branch of that name in a path is the flow of the step that holds it.
func sameFlow(branch string) bool {
	return slices.ContainsFunc(constructs, func(c construct) bool { return c.branch == branch })
}

// innerBy and forkBy return a fraction of the weight of kinds with stages inside, and of kinds with branches.
func innerBy(part int) func(*generator, place) int {
	return func(_ *generator, at place) int { return at.inner / part }
}

func forkBy(part int) func(*generator, place) int {
	return func(_ *generator, at place) int { return at.fork / part }
}

func plainly(text string) func(*node) string { return func(*node) string { return text } }
