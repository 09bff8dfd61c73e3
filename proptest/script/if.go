package script

import "github.com/futoin-go/asyncsteps/fault"

// If carries out Then if Cond holds, and otherwise Else.
type If struct {
	Cond Cond    `json:"cond"`
	Then Actions `json:"then"`
	Else Actions `json:"else,omitempty"`
}

// Cond is one of four conditions: exactly one of Iter, State, Arg and Code is set.
type Cond struct {
	Iter *int   `json:"iter,omitempty"` // the ID of the loop whose current iteration is compared with N
	Cmp  string `json:"cmp,omitempty"`  // one of compares
	N    int    `json:"n,omitzero"`

	State *string `json:"state,omitempty"` // the name of the variable that must equal Is
	Arg   *int    `json:"arg,omitempty"`   // the number of the argument that must equal Is
	Is    Value   `json:"is,omitzero"`

	Code *string `json:"code,omitempty"` // the code that the handler's error must have
}

func (a *If) check(k *checker) {
	k.within("if", running)
	k.need(a.Cond.kinds() == 1, "a condition must be one of iter, state, arg, code")
	if a.Cond.Iter != nil {
		k.need(compares[a.Cond.Cmp] != nil, "no such cmp: "+a.Cond.Cmp)
	}
	k.list(k.in, a.Then)
	k.list(k.in, a.Else)
}

func (a *If) run(c *call) {
	if a.Cond.holds(c) {
		c.do(a.Then)
	} else {
		c.do(a.Else)
	}
}

func (q *Cond) kinds() int {
	n := 0
	for _, given := range []bool{q.Iter != nil, q.State != nil, q.Arg != nil, q.Code != nil} {
		if given {
			n++
		}
	}
	return n
}

func (q *Cond) holds(c *call) bool {
	switch {
	case q.Iter != nil:
		index, inside := c.where.index(*q.Iter)
		return inside && compares[q.Cmp](index, q.N)
	case q.State != nil:
		return same(c.variable(*q.State), q.Is)
	case q.Arg != nil:
		return same(c.args.at(*q.Arg), q.Is)
	default:
		return fault.CodeOf(c.err) == fault.Code(*q.Code)
	}
}

var compares = map[string]func(a, b int) bool{
	"eq": func(a, b int) bool { return a == b },
	"ne": func(a, b int) bool { return a != b },
	"lt": func(a, b int) bool { return a < b },
	"ge": func(a, b int) bool { return a >= b },
}

// index returns the current iteration of the loop with the given ID around the scene. inside is false if there is none.
func (w scene) index(loop int) (index int, inside bool) {
	for t := w.turns; t != nil; t = t.outer {
		if t.loop == loop {
			return t.index, true
		}
	}
	return 0, false
}
