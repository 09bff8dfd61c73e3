package draw

import "github.com/futoin-go/asyncsteps/flow"

// Marks set steps of a picture apart. The key is the path of a step, as in
// flow.Tree.Path: "0/par.1/2", "1/each.N/0". A path that no step of the Tree has is ignored.
// If several Marks have the same path the last one counts. Don't change a Marks while
// it is being drawn.
type Marks map[string]Mark

// Mark changes how one step is shown.
type Mark struct {
	// State gives the box its colour. A State that isn't one of this package has no colour.
	State State
	// Note is an additional line in the box, such as "queued for 3s"; "" stands for none. Like a
	// name, it may be any text.
	Note string
	// Link is the address that a click on the box leads to, in SVG; "" stands for none. It isn't
	// checked, so it must be an address that the program trusts.
	Link string
}

// State is the state that a marked step is in.
type State string

// States. They differ mostly in colour, so add a Note for readers who can't tell colours apart.
const (
	Running State = "running" // green
	Waiting State = "waiting" // yellow
	Failed  State = "failed"  // red, with a thick border
)

// states holds the states that have an SVG class of the same name.
var states = map[State]bool{Running: true, Waiting: true, Failed: true}

func (g *graph) step(t *flow.Tree) int {
	at := g.vertex(box, label(t)...)
	for _, marks := range g.marks {
		if m, marked := marks[t.Path]; marked {
			v := &g.vertices[at]
			v.lines, v.state = label(t), m.State
			if m.Note != "" {
				v.lines = append(v.lines, printable(m.Note))
			}
		}
	}
	return at
}
