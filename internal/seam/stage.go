package seam

import (
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Stage is a stage with its types. It is safe for concurrent use; it must not
// be copied.
type Stage[In, Out any] struct {
	node    *Node
	program atomic.Pointer[program[In, Out]]
}

// NewStage gives node its types; they must be the node's.
func NewStage[In, Out any](node *Node) *Stage[In, Out] {
	return &Stage[In, Out]{node: node}
}

// Node is the stage as data.
func (s *Stage[In, Out]) Node() *Node { return s.node }

// Instance is the memory of one activation of a stage.
type Instance[In, Out any] struct {
	Outlet[Out]
	In *Cell[In]
}

// program is what a stage compiles to.
type program[In, Out any] struct {
	once  sync.Once
	err   error
	shape shape
	pool  sync.Pool
}

// Err says what is wrong with the stage; nil if it can be run.
func (s *Stage[In, Out]) Err() error { return s.compile().err }

// Acquire takes an instance from the pool, or makes one. Releasing it brings
// it back.
func (s *Stage[In, Out]) Acquire() (*Instance[In, Out], error) {
	p := s.compile()
	if p.err != nil {
		return nil, p.err
	}
	if in, ok := p.pool.Get().(*Instance[In, Out]); ok {
		return in, nil
	}
	return p.instance(s.node, false), nil
}

// atHand is an instance that r has at hand; nil if there is none.
func (s *Stage[In, Out]) atHand(r *frame.Run) *Instance[In, Out] {
	p := s.program.Load()
	if p == nil {
		return nil
	}
	in := r.Idle(&p.pool)
	if in == nil {
		return nil
	}
	return in.Self().(*Instance[In, Out])
}

// compile makes the program, once. A stage that is only a part of a larger
// plan never needs one.
func (s *Stage[In, Out]) compile() *program[In, Out] {
	p := s.program.Load()
	if p == nil {
		s.program.CompareAndSwap(nil, new(program[In, Out]))
		p = s.program.Load()
	}
	p.once.Do(func() {
		if p.err = s.node.Err(); p.err == nil {
			p.pool.Put(p.instance(s.node, true))
		}
	})
	return p
}

// instance emits the ops and cells of one instance; the first also yields the
// shape.
func (p *program[In, Out]) instance(n *Node, fresh bool) *Instance[In, Out] {
	in := new(Instance[In, Out])
	e := Emitter{inst: &in.Instance, shape: &p.shape, fresh: fresh}
	in.In = NewCell[In](&e)
	e.value = in.In
	e.run(n, func(level *frame.Level) {
		in.Out = e.value.(*Cell[Out])
		in.Init(level, e.cells, &p.pool, in)
	})
	return in
}
