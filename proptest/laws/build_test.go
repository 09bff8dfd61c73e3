package laws_test

import (
	"fmt"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// builder turns programs into plans, whose bodies act on w.
type builder struct {
	w      *world
	guards []gate
	labels map[int]loopx.Label[int]
	subs   map[*body]stage // sub-steps of bodies
	groups [3]flow.Tasks[int, int]
}

func newBuilder(p *program) *builder {
	b := &builder{labels: map[int]loopx.Label[int]{}, subs: map[*body]stage{}}
	for _, g := range p.guards {
		b.guards = append(b.guards, g.build())
	}
	for i := range b.groups {
		b.groups[i] = flow.NewTasks[int, int](tasksName(i))
	}
	for i := range 4 {
		b.labels[i] = loopx.NewLabel[int](labelName(i))
	}
	return b
}

// renew replaces the guards that depend on the loop's time. The others are used again, so that what a run leaves in them
// shows.
func (b *builder) renew(p *program) {
	for i, g := range p.guards {
		if g.times() {
			b.guards[i] = g.build()
		}
	}
}

func tasksName(i int) string { return fmt.Sprintf("T%d", i) }

func labelName(i int) string { return fmt.Sprintf("L%d", i) }

type stage = step.Step[int, int]

func (b *builder) stages(nodes []*node) []stage {
	all := make([]stage, len(nodes))
	for i, n := range nodes {
		all[i] = b.stage(n)
	}
	return all
}

func (b *builder) stage(n *node) stage { return n.construct().build(b, n) }

func (b *builder) inside(n *node) stage { return b.stage(n.kids[0]) }

func (b *builder) inner(body *body) stage {
	if b.subs[body] == nil {
		b.subs[body] = b.stage(body.kid)
	}
	return b.subs[body]
}

func elements(in, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = in + i
	}
	return all
}

func sum(values []int) int {
	total := 0
	for _, v := range values {
		total += v
	}
	return total
}
