package plan

import (
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// Stage is a stage with its types. It is safe for concurrent use; it must not
// be copied.
type Stage[In, Out any] struct {
	_ [0]func() // Stages aren't compared, so that no program has a function for it per type.
	source
}

// source is a stage without its types.
type source struct {
	node      *Node
	program   atomic.Pointer[program]
	compiling sync.Mutex
}

// NewStage returns node as a stage with types, which must be the types that node has.
func NewStage[In, Out any](node *Node) *Stage[In, Out] {
	return &Stage[In, Out]{source: source{node: node}}
}

// Stage returns s, so that a *Stage is a step.Step.
func (s *Stage[In, Out]) Stage() *Stage[In, Out] { return s }

// StageOf returns the stage of s, which a user has passed in. It returns nil if s is nil, the zero Plan, a nil pointer,
// or a struct that embeds one of these.
func StageOf[In, Out any](s interface{ Stage() *Stage[In, Out] }) (st *Stage[In, Out]) {
	if s != nil {
		usercode.Protect(func() { st = s.Stage() }, func(error) {}) // a method of a nil pointer may panic
	}
	return st
}

// Node returns the stage as data.
func (s *source) Node() *Node { return s.node }

// program is the result of compiling a stage.
type program struct {
	level *frame.Level // nil if the stage can't be run
	err   error        // why the stage can't be run
}

// Err returns the errors of the stage and of everything it holds; nil if it can be run.
func (s *source) Err() error { return programOf(s).err }

// programOf returns the program of s. Only the first call makes it: a stage that is run only as a part of others needs none.
//
// It is a function, as are others of this package, because each type of stages in a program has the methods of a source.
func programOf(s *source) *program {
	if p := s.program.Load(); p != nil {
		return p
	}
	return s.compileOnce()
}

func (s *source) compileOnce() *program {
	s.compiling.Lock()
	defer s.compiling.Unlock()
	p := s.program.Load()
	if p == nil {
		p = new(program)
		if p.err = s.node.Err(); p.err == nil {
			p.level = compile(s.node)
		}
		s.program.Store(p)
	}
	return p
}

// Level returns the outermost level of the program; nil if the stage can't be run, for the reason that Err returns.
func (s *source) Level() *frame.Level { return programOf(s).level }

// Root takes an activation of the outermost level of the program, and stores the input in it. If the stage can't be
// run, Root returns the error of Err.
func (s *Stage[In, Out]) Root(in In) (*frame.Activation, error) {
	p := programOf(&s.source)
	if p.err != nil {
		return nil, p.err
	}
	inst := frame.TakeRoot(p.level)
	Give(inst, in)
	return inst, nil
}

// Prepare takes an activation for sub-steps of f's current step, and stores their input in it. If the stage can't be
// run, Prepare returns the error of Err.
func (s *Stage[In, Out]) Prepare(f *frame.Frame, in In) (*frame.Activation, error) {
	p := programOf(&s.source)
	if p.err != nil {
		return nil, p.err
	}
	inst := f.Open(p.level)
	*at[In](inst.Frame(), p.level.In) = in
	inst.Prepare()
	return inst, nil
}

// Result copies the result of the sub-steps that have just ended to the output of the step.
func Result[Out any](f *frame.Frame, to *Out) frame.Verdict {
	*to = *OutputOf[Out](f.Ended())
	return frame.Done
}

// Gives reports whether the result of the steps of in is an Out. It is for callers that enter
// steps of unknown types.
func Gives[Out any](in *frame.Activation) bool {
	_, is := in.Frame().Level().Result.(*Out)
	return is
}

// Outcome returns the result of a run that has ended with success.
func Outcome[Out any](r *frame.Run) Out { return *OutputOf[Out](rootOf(r).Frame()) }

func rootOf(r *frame.Run) *frame.Activation { return r.Root() }
