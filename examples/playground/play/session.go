// Package play runs a plan for a player, who decides what comes next: one more step of the loop, an answer or an error from
// outside, or a cancel. So the player chooses the schedule of the run.
package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Move is one decision of the player.
type Move struct {
	// Do is "step" for one callback of the loop, "answer" or "fail" for a call, or "cancel".
	Do string `json:"do"`
	// Call names the call.
	Call string `json:"call,omitempty"`
	// Says tells the player what the move does.
	Says string `json:"says"`
}

// Line is one thing that has happened.
type Line struct {
	At   string `json:"at"`
	Text string `json:"text"`
}

// View holds what the player sees after some moves.
type View struct {
	At     string            `json:"at"`
	Log    []Line            `json:"log"`
	States map[string]string `json:"states"` // of steps, by name or path: "running", "waiting", "done", "failed"
	Moves  []Move            `json:"moves"`  // those possible now
	Result string            `json:"result"` // "" while the run lives
}

// Tree returns the plan of the trip.
func Tree() *flow.Tree { return flow.Describe(new(outside).trip()) }

var errNoMove = errors.New("there is no such move now")

// After returns what the player sees after the moves. It starts a new run and makes all the moves in it. The same moves always have
// the same outcome, because time is virtual and the loop takes one callback at a time.
func After(moves []Move) (View, error) {
	g := newGame()
	for i, m := range moves {
		if err := g.make(m); err != nil {
			return View{}, fmt.Errorf("move %d, %q: %w", i+1, m.Do, err)
		}
	}
	v := g.view()
	if v.Result == "" {
		v.Moves = g.fromOutside()
		if says := g.nextStep(); says != "" { // nextStep has made the step, so g can't be used any more
			v.Moves = append([]Move{{Do: "step", Says: says}}, v.Moves...)
		}
	}
	return v, nil
}

// game is a run and its surroundings.
type game struct {
	outside

	loop   *tooltest.Loop
	run    *flow.Running[string]
	log    []Line
	states map[string]string
}

func newGame() *game {
	oneByOne := tooltest.WithChooser(func(int) int { return 0 }) // not many steps in a turn
	g := &game{loop: tooltest.New(oneByOne), states: map[string]string{}}
	watch := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) { return ctx, g.note })
	g.run = flow.Start(observe.With(context.Background(), watch), g.loop, g.trip(), "Oslo")
	return g
}

func (g *game) make(m Move) error {
	switch m.Do {
	case "step":
		if !g.loop.Step() {
			return errNoMove
		}
		return nil
	case "cancel":
		if !g.run.Cancel(nil) {
			return errNoMove
		}
		g.say("you cancel the run")
		return nil
	}
	c, open := g.find(m.Call)
	switch {
	case open && m.Do == "answer":
		g.say("you answer " + m.Call)
		c.answer()
	case open && m.Do == "fail":
		g.say("you fail " + m.Call)
		c.fail()
	default:
		return errNoMove
	}
	return nil
}

func (g *game) say(text string) { g.log = append(g.log, Line{g.loop.Now().String(), text}) }

func (g *game) note(e observe.Event) {
	text := e.Kind.String()
	if e.IsStep() {
		text += " " + cmp.Or(e.Label(), e.StepKind())
		g.states[cmp.Or(e.Name(), e.Path())] = state(e)
	}
	if e.Err != nil {
		first, _, _ := strings.Cut(e.Err.Error(), " (at ")
		text += ": " + first
	}
	g.say(text)
}

func state(e observe.Event) string {
	switch e.Kind {
	case observe.Suspended:
		return "waiting"
	case observe.StepEnd:
		if e.Err != nil {
			return "failed"
		}
		return "done"
	case observe.TimedOut:
		return "failed"
	default:
		return "running"
	}
}

func (g *game) view() View {
	v := View{At: g.loop.Now().String(), Log: slices.Clone(g.log), States: maps.Clone(g.states)}
	select {
	case <-g.run.Done():
		if out, err := g.run.Result(); err != nil {
			v.Result = err.Error()
		} else {
			v.Result = out
		}
	default:
	}
	return v
}

// fromOutside returns the moves that the loop doesn't make by itself.
func (g *game) fromOutside() []Move {
	var moves []Move
	for _, c := range g.open {
		moves = append(moves,
			Move{Do: "answer", Call: c.name, Says: c.name + " answers"},
			Move{Do: "fail", Call: c.name, Says: c.name + " fails"})
	}
	return append(moves, Move{Do: "cancel", Says: "cancel the run"})
}

// nextStep makes one more step, and returns a line about it; "" if there is no step left.
func (g *game) nextStep() string {
	began, known := g.loop.Now(), len(g.log)
	if !g.loop.Step() {
		return ""
	}
	return says(g.loop.Now()-began, g.log[known:])
}

func says(passed time.Duration, log []Line) string {
	var texts []string
	if passed > 0 {
		texts = append(texts, passed.String()+" pass")
	}
	for _, l := range log {
		texts = append(texts, l.Text)
	}
	switch {
	case len(texts) == 0:
		return "the loop turns"
	case len(texts) > 3:
		return strings.Join(texts[:3], ", ") + ", …"
	}
	return strings.Join(texts, ", ")
}
