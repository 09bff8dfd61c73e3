package seam

import "slices"

// ownSteps counts the steps of n itself, without those of the stages that
// follow it on its level.
func ownSteps(n *Node) int {
	switch {
	case n.Kind == "copy":
		return 1 // and then the steps that it copies
	case n.Kind == "dynamic":
		return 2 // the step, and the one that types its result
	case slices.ContainsFunc(n.Kids, func(k Kid) bool { return k.Role == Next }):
		return 0
	default:
		return 1
	}
}

// fused is a step: the node that it is of, with the name and the handler that
// other nodes give to it.
type fused struct {
	node    *Node
	name    string // given by a group, if named
	named   bool
	handler *Node // nil if there is none beside those the node holds
}

// fuse finds the step behind n, as the functions Named and Catch do: around a
// single step they are no steps of their own.
func fuse(n *Node) fused {
	s := fused{node: n}
	for {
		if s.node.Wraps {
			s.node = s.node.Kids[0].Node
			continue
		}
		switch s.node.Kind {
		case "group":
			if !s.named { // the outermost name counts
				s.name, s.named = s.node.Name, true
			}
			only := sole(s.node)
			if only == nil {
				return s
			}
			s.node = only
		case "catch":
			only := sole(s.node)
			if only == nil || handled(only) {
				return s
			}
			s.handler = s.node.Kids[1].Node
			s.node = only
		default:
			return s
		}
	}
}

// handled says whether the step behind n has a handler already.
func handled(n *Node) bool {
	for n != nil && n.Kind == "group" {
		n = sole(n)
	}
	return n != nil && n.Kind == "catch"
}

// sole gives the node of the only step that wrapper is around, nil if there is
// not exactly one.
func sole(wrapper *Node) *Node {
	var only *Node
	for todo := []*Node{wrapper.Kids[0].Node}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch own := ownSteps(n); {
		case own > 1 || own == 1 && only != nil:
			return nil
		case own == 1:
			only = n
		}
		for _, kid := range slices.Backward(n.Kids) {
			if kid.Role == Next {
				todo = append(todo, kid.Node)
			}
		}
	}
	return only
}
