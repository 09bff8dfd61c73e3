package explore

import (
	"errors"
	"fmt"
	"math"

	"github.com/futoin-go/asyncsteps/internal/parts"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Body is a test that is run under many schedules. It makes everything it needs anew, so that trials don't influence each other,
// and returns an error if something is wrong. [All], [Drawn] and [Check] take a panic for an error, a fault.Panic.
type Body func(x *Trial) error

// Trial is one execution of a [Body] under one schedule. It belongs to the
// goroutine of the body.
type Trial struct {
	loop   *tooltest.Loop
	answer func(q question) int
	taken  Schedule // the answers given
	sizes  []int    // for each answer, the number of possible ones
	noted  []int    // for each answer, the number of notes before
	points []point  // where the schedule decided something
	notes  []note
	plans  []string
	slow   bool
	state  func() string // set by State, or nil
	left   []string      // names of the actions that can happen, if state isn't nil
	passed []string      // the states between events, if state isn't nil and slow is set

	apart  parts.Loop     // access to the parts of loop
	parts  map[string]int // numbers of the parts, from 1
	event  int            // index in points of the event that the method happen executes now; otherwise the constant none
	epoch  int            // events of different epochs can't change places
	picks  bool           // the loop's next question is which callback the event takes
	mixed  bool           // events may depend on others in ways that their parts don't show
	sorted bool           // set by NotesApart

	tracing bool
	trace   []string // notes, choices and steps, if tracing

	begun     int      // runs numbered so far
	answers   []Answer // the answers that are left
	absolute  bool     // the times of answers are times of the loop
	used      []Answer
	ends      []ending
	answering bool   // the trial calls the functions of step.Await
	guide     *guide // nil unless the trial follows an incident
}

// note is a line that a part has noted.
type note struct {
	part int
	text string
	time bool // the text says that time has passed; such a note is no part of the outcome
}

// ErrEndless is the error of [Trial.Run] and [Trial.Drive] if the loop doesn't become idle.
var ErrEndless = errors.New("explore: the loop doesn't become idle")

// endless bounds how many callbacks and actions a Run or Drive executes.
const endless = 100_000

func newTrial(answer func(q question) int) *Trial {
	return (&Trial{answer: answer, event: none}).on()
}

// newGuided returns a trial that follows an incident. Random pauses are drawn as short as possible, so they are over when the guide
// sets the clock to the time of their recorded end.
func newGuided(g *guide) *Trial {
	x := &Trial{answer: g.answer, event: none, guide: g, answering: true}
	x.on(tool.WithRand(func() uint64 { return math.MaxUint64 })).apart.Late()
	return x
}

// on makes the loop of x.
func (x *Trial) on(with ...tool.HostOption) *Trial {
	x.loop = tooltest.New(tooltest.WithChooser(x.pick), tooltest.WithHost(append(with, tool.WithWork(x.take))...))
	x.apart = parts.Of(x.loop)
	return x
}

// Loop returns the trial's loop, with virtual time and the order of the schedule.
func (x *Trial) Loop() *tooltest.Loop { return x.loop }

// Choose returns the schedule's answer to a question with n possible answers, 0 to n-1, of which 0 is the plain one. Use it for
// whatever else may vary: an input, a fault, a duration. With n below 2 the answer is 0.
func (x *Trial) Choose(n int) int {
	return x.choose(question{n: n})
}

func (x *Trial) choose(q question) int {
	if q.n < 2 {
		return 0
	}
	i := len(x.points)
	x.points = append(x.points, point{first: len(x.taken), others: q.n, state: x.stateAt(q), lapse: q.lapse})
	answer := x.ask(q)
	x.points[i].at = answer
	return answer
}

// ask puts a question to the schedule.
func (x *Trial) ask(q question) int {
	if q.n < 2 {
		return 0
	}
	answer := x.answer(q)
	x.taken = append(x.taken, answer)
	x.sizes = append(x.sizes, q.n)
	x.noted = append(x.noted, len(x.notes))
	x.traced("the choice of one of %d", q.n)
	return answer
}

// Note adds a line to the report of a failure. Trials with the same notes count as the same outcome.
func (x *Trial) Note(format string, args ...any) {
	x.note(note{x.apart.Now(), fmt.Sprintf(format, args...), false})
}

// Notes returns the notes of the trial so far, which include the names of actions that have happened. The function given to
// [Trial.State] can include them in its text.
func (x *Trial) Notes() []string {
	var lines []string
	for _, n := range x.notes {
		if !n.time {
			lines = append(lines, n.text)
		}
	}
	return lines
}

func (x *Trial) note(n note) {
	x.notes = append(x.notes, n)
	x.traced("the note %q", n.text)
	if x.event != none && !x.sorted {
		x.points[x.event].notes = true
	}
}

// Action is an event from outside of the loop: a completion, a cancel, a new run.
type Action struct {
	Name string
	Do   func()
	Part string // if it isn't empty, Do and what follows from it belong to that part, see [Trial.Apart]
}

// Slow makes callbacks take time, in this trial from here on: whenever callbacks are ready, the schedule may let the earliest
// timer come due before them. So timeouts may fire at every point, as on a loop that is held up. Without Slow time passes only when
// nothing is ready. A report says where time has passed; two trials that differ only in that have the same outcome.
func (x *Trial) Slow() { x.slow, x.mixed = true, true }

// Run steps the loop until it is idle. Each action happens once, in any order, at any point: before the first callback, between
// two, or after the last. Run returns [ErrEndless] if the loop doesn't become idle.
func (x *Trial) Run(actions ...Action) error {
	left := append([]Action(nil), actions...)
	for _, a := range left {
		x.part(a.Part)
	}
	return x.drive(func() []Action {
		offered := make([]Action, len(left))
		for i, a := range left {
			offered[i] = Action{a.Name, func() {
				left = append(left[:i:i], left[i+1:]...)
				a.Do()
			}, a.Part}
		}
		return offered
	})
}

// Drive is Run for a changing set of actions: before each callback and each action it calls offer, which returns the actions
// that can happen now. Drive returns when the loop is idle and offer returns no actions.
func (x *Trial) Drive(offer func() []Action) error {
	x.mixed = true // offer sees all parts
	return x.drive(offer)
}

func (x *Trial) drive(offer func() []Action) error {
	if x.guide != nil {
		return x.followed(offer)
	}
	x.epoch++
	for range endless {
		actions := offer()
		x.offered(actions)
		x.pass()
		idle := x.loop.Pending() == 0
		switch {
		case idle && len(actions) == 0:
			return nil
		case x.reduced():
			x.happen(actions)
		case idle:
			x.do(actions[x.Choose(len(actions))])
		default:
			x.step(actions)
		}
	}
	return ErrEndless
}

// step lets one thing happen: the loop's next callback, an action, or the passing of time.
func (x *Trial) step(actions []Action) {
	ahead := x.loop.Ahead()
	q := question{n: 1 + len(actions), of: whether}
	if x.slow && ahead > 0 {
		q.n++
		q.lapse = x.after(ahead)
	}
	switch i := x.choose(q); {
	case i == 0:
		x.loop.Step()
	case i <= len(actions):
		x.do(actions[i-1])
	default:
		x.note(note{text: fmt.Sprintf("%v pass", ahead), time: true})
		x.loop.Lag(ahead)
	}
}

func (x *Trial) do(a Action) {
	before := x.apart.Enter(x.part(a.Part))
	defer x.apart.Enter(before)
	x.Note("%s", a.Name)
	a.Do()
}

func (x *Trial) failure(err error) *Failure { return &Failure{x.taken, err, x.lines(), x.plans} }

func (x *Trial) lines() []string {
	lines := make([]string, len(x.notes))
	for i, n := range x.notes {
		lines[i] = n.text
	}
	return lines
}
