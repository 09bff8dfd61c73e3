package planlaws

import "fmt"

// Law is one of the statements that are checked.
type Law int

// The laws, by their numbers: Valid is U1.
const (
	// Valid: the plan can be run, so Plan.Err is nil.
	Valid Law = iota + 1
	// Described: two plans of the constructor have the same description, also after they have run.
	Described
	// Ends: a run ends, whatever happens to it and when.
	Ends
	// Silent: nothing of a run happens after its end.
	Silent
	// Released: what a run acquires is released once, by its end.
	Released
	// Quiet: nothing is reported to the loop, unless a call panics.
	Quiet
	// Cancelled: a run that is cancelled before its end ends as cancelled, with the cause.
	Cancelled
	// Raised: an error or a panic of a call is raised in the run.
	Raised
	// Repeatable: two plans built anew do the same if they get the same input and everything comes in the same order.
	Repeatable
	// Value: a plan does the same when it runs again.
	Value
	// Unobserved: a run does the same without an observer.
	Unobserved
	// Judged: each result is one that Subject.Judge accepts.
	Judged
)

var statements = [...]string{
	Valid:      "The plan can be run: its Err is nil.",
	Described:  "Two plans of the constructor have the same digest and no Diff, also after they have run.",
	Ends:       "A run ends, whatever comes when.",
	Silent:     "Nothing of a run happens after its end.",
	Released:   "What a run acquires is released once, by its end.",
	Quiet:      "Nothing is reported to the loop.",
	Cancelled:  "A run that is cancelled before its end ends as cancelled, with the cause.",
	Raised:     "An error or a panic of a call is raised in the run.",
	Repeatable: "Two new plans do the same for the same input in the same order.",
	Value:      "A plan does the same when it runs again.",
	Unobserved: "A run does the same without an observer.",
	Judged:     "Each result is one that Subject.Judge accepts.",
}

// String returns the number of the law in docs/internals/laws.md and its statement.
func (l Law) String() string {
	if l < Valid || l > Judged {
		return fmt.Sprintf("Law(%d)", int(l))
	}
	return fmt.Sprintf("U%d: %s", int(l), statements[l])
}
