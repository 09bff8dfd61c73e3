package explore_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

var (
	programs    = flag.Int("explore.programs", 300, "how many drawn programs TestApartLosesNoOutcome searches")
	programSeed = flag.Uint64("explore.seed", 1, "the first of their seeds")
)

// kind is the kind of an instruction of a drawn program.
type kind int

const (
	mixes   kind = iota // changes the state of its part
	notes               // notes the state
	queues              // queues more
	drops               // cancels what its part has queued last
	chooses             // asks the schedule
	draws               // draws a number of the host
	runs                // starts a run
	leaks               // reads and changes the states of all parts; only in the program's part 0
	begins              // begins something in a part
	kinds
)

type instruction struct {
	kind  kind
	n     int
	delay time.Duration // -1: an immediate
	part  int
	then  []instruction
}

// program is a drawn test body. Part 0 stands for none.
type program struct {
	begin   [][]instruction // of each part, queued before the loop runs
	actions [][]instruction // of each part; nil for no action
	sorted  bool
}

type drawer struct {
	*rand.Rand
	left, parts int
	apart       bool // everything belongs to a part
}

func (d *drawer) script(part, depth int) (s []instruction) {
	for range 1 + d.IntN(2) {
		if d.left == 0 {
			return s
		}
		d.left--
		in := instruction{kind: kind(d.IntN(int(kinds))), n: d.IntN(100), delay: time.Duration(d.IntN(4) - 1)}
		if in.kind == leaks && part != 0 || in.kind == begins && d.IntN(3) > 0 || in.kind == draws && d.IntN(2) > 0 {
			in.kind = mixes
		}
		if in.kind == notes && d.IntN(2) > 0 || depth < 2 && d.IntN(3) == 0 {
			in.kind = queues
		}
		switch in.kind {
		case queues:
			in.then = d.script(part, depth+1)
		case begins:
			in.part = d.IntN(d.parts)
			if d.apart && in.part == 0 {
				in.part = part
			}
			in.then = d.script(in.part, depth+1)
		}
		s = append(s, in)
	}
	return s
}

func drawProgram(seed uint64) program {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 0)), left: 5 + int(seed%8)}
	d.parts = 3 + d.IntN(2)
	d.apart = d.IntN(3) > 0
	p := program{make([][]instruction, d.parts), make([][]instruction, d.parts), d.IntN(2) == 0}
	for part := range d.parts {
		if part == 0 && d.apart {
			continue
		}
		p.begin[part] = d.script(part, 0)
		if d.IntN(3) == 0 {
			p.actions[part] = d.script(part, 1)
		}
	}
	return p
}

type world struct {
	x        *explore.Trial
	declared bool
	state    []int
	last     []tool.Handle
	noted    []string
}

func (w *world) name(part int) string {
	if part == 0 || !w.declared {
		return ""
	}
	return fmt.Sprint("part ", part)
}

func (w *world) note(part int, what string) {
	w.x.Note("%s", what)
	w.noted = append(w.noted, fmt.Sprintf("%d %s", part, what))
}

func (w *world) mix(part, n int) {
	w.state[part] = (w.state[part]*31 + n + 7*int(w.x.Loop().Now())) % 10007
}

func (w *world) queue(part int, in instruction) {
	fn := func() { w.do(part, in.then) }
	if in.delay < 0 {
		w.last[part], _ = w.x.Loop().Immediate(fn)
	} else {
		w.last[part], _ = w.x.Loop().Deferred(in.delay, fn)
	}
}

func (w *world) apart(part int, begin func()) {
	if name := w.name(part); name != "" {
		w.x.Apart(name, begin)
	} else {
		begin()
	}
}

func (w *world) do(part int, script []instruction) {
	for _, in := range script {
		switch in.kind {
		case mixes:
			w.mix(part, in.n)
		case notes:
			w.note(part, fmt.Sprint(w.state[part]))
		case queues:
			w.queue(part, in)
		case drops:
			w.x.Loop().Cancel(w.last[part])
		case chooses:
			w.mix(part, w.x.Choose(2))
		case draws:
			w.mix(part, int(w.x.Loop().Host().Rand()%1000))
		case runs:
			does := step.Map(func(n int) int { w.mix(part, n); return n + 1 })
			explore.Start(context.Background(), w.x, flow.Then(flow.Then(does, wait()), does), in.n)
		case leaks:
			for i, state := range w.state {
				w.mix(0, state)
				w.mix(i, in.n)
			}
		case begins:
			w.begins(part, in)
		}
	}
}

// begins queues something in a part. For part 0 it queues a callback that does nothing, which the loop takes for a consequence of
// the part that queues it.
func (w *world) begins(part int, in instruction) {
	if in.part == 0 {
		w.queue(part, instruction{delay: in.delay})
		return
	}
	w.apart(in.part, func() { w.queue(in.part, in) })
}

func (p program) search(declared bool, limit int) (map[string]bool, explore.Result) {
	var all []string
	r := explore.All(explore.Bounds{Schedules: limit}, func(x *explore.Trial) error {
		w := &world{x: x, declared: declared, state: make([]int, len(p.begin)), last: make([]tool.Handle, len(p.begin))}
		if p.sorted {
			x.NotesApart()
		}
		var actions []explore.Action
		for part, script := range p.begin {
			w.apart(part, func() { w.queue(part, instruction{delay: -1, then: script}) })
			if does := p.actions[part]; does != nil {
				actions = append(actions, explore.Action{Name: "act", Part: w.name(part), Do: func() {
					w.noted = append(w.noted, fmt.Sprintf("%d act", part))
					w.do(part, does)
				}})
			}
		}
		err := x.Run(actions...)
		if p.sorted {
			slices.SortStableFunc(w.noted, func(a, b string) int { return strings.Compare(a[:1], b[:1]) })
		}
		all = append(all, fmt.Sprint(w.noted, w.state))
		return err
	})
	outcomes := map[string]bool{}
	for _, outcome := range all[:r.Trials] { // the other trials look whether the parts are apart
		outcomes[outcome] = true
	}
	return outcomes, r
}

// The search finds the same outcomes with Apart as without it, in no more trials.
func TestApartLosesNoOutcome(t *testing.T) {
	const limit = 100
	small, before, after := 0, 0, 0
	for seed := *programSeed; small < *programs; seed++ {
		p := drawProgram(seed)
		want, full := p.search(false, limit)
		if !full.Complete {
			continue
		}
		small++
		got, reduced := p.search(true, limit)
		if full.Failure != nil || reduced.Failure != nil {
			t.Fatalf("seed %d: %+v, %+v", seed, full.Failure, reduced.Failure)
		}
		if !maps.Equal(got, want) || !reduced.Complete || reduced.Trials > full.Trials {
			t.Fatalf("seed %d: %d outcomes by %d trials, without Apart %d by %d\n%+v", seed, len(got), reduced.Trials,
				len(want), full.Trials, p)
		}
		before += full.Trials
		after += reduced.Trials
	}
	t.Logf("%d programs: %d trials, %d without Apart", small, after, before)
}
