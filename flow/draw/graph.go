package draw

import (
	"slices"

	"github.com/futoin-go/asyncsteps/flow"
)

// graph is the picture of a plan for Mermaid and Graphviz.
type graph struct {
	marks    []Marks
	vertices []vertex
	order    []mark // the order of vertices and frames in the text
	edges    []edge
	frames   int
}

// vertex is a node of the picture. Edges refer to a vertex by its index in graph.vertices. In the text the name of a vertex
// is n followed by that index.
type vertex struct {
	shape shape
	lines []string
	state State // "" if it isn't marked
}

type shape uint8

const (
	terminal shape = iota // where the plan begins or ends
	box                   // a step
	answer                // a handler, a hook or an undo
	meeting               // where branches meet
)

// mark is a vertex, or one end of a frame around vertices.
type mark struct {
	what  markKind
	index int
}

type markKind uint8

const (
	vertexMark markKind = iota
	frameBegin
	frameEnd
)

type edge struct {
	from, to int
	style    style
	text     string
}

type style uint8

const (
	solid style = iota
	dashed
	dotted
)

// none is the index of a vertex, a frame or a block that doesn't exist.
const none = -1

// span is a Tree whose parts are being drawn.
type span struct {
	tree  *flow.Tree
	head  int   // the vertex of tree; for the plan its input, for a branch the vertex before it
	last  int   // the vertex that the next part follows
	join  int   // the vertex where its branches meet; none until the first branch is drawn, and for a flow.Graph
	next  int   // index of the part of tree that is to be drawn next
	frame int   // the frame around a step and its parts; none if it has no parts, or if tree isn't a step
	lasts []int // of a flow.Graph: the last vertex of each branch that was drawn
}

// newGraph draws t. It doesn't recurse, because plans may be deep.
func newGraph(t *flow.Tree, marks []Marks) *graph {
	g := &graph{marks: marks}
	start := g.vertex(terminal, typeText(t.In))
	spans := []span{{tree: t, head: start, last: start, join: none, frame: none}}
	for {
		s := &spans[len(spans)-1]
		if s.next < len(s.tree.Holds) {
			s.next++
			spans = append(spans, g.begin(s, s.tree.Holds[s.next-1]))
			continue
		}
		spans = spans[:len(spans)-1]
		if len(spans) == 0 {
			g.connect(s.last, g.vertex(terminal, typeText(t.Out)), solid, "")
			return g
		}
		g.end(&spans[len(spans)-1], s)
	}
}

// begin draws the vertex of t, which is a part of outer. If t is a step with parts, it first draws the beginning of the frame
// around them. A branch has neither a vertex nor a frame of its own.
func (g *graph) begin(outer *span, t *flow.Tree) span {
	s := span{tree: t, join: none, frame: none}
	switch t.Role {
	case flow.RoleBranch:
		if outer.tree.Edges != nil {
			s.head = g.gather(outer, outer.next-1)
			break
		}
		if outer.join == none {
			outer.join = g.vertex(meeting)
		}
		s.head = outer.head
	case flow.RoleHandler:
		s.head = g.vertex(answer, label(t)...)
		g.connect(outer.head, s.head, dotted, "on error")
	case flow.RoleHook:
		s.head = g.vertex(answer, label(t)...)
		g.connect(outer.head, s.head, dotted, "on cancel")
	case flow.RoleUndo:
		s.head = g.vertex(answer, "undo")
		g.connect(outer.head, s.head, dotted, "if the saga fails")
	default:
		if len(t.Holds) > 0 {
			s.frame = g.frames
			g.frames++
			g.order = append(g.order, mark{frameBegin, s.frame})
		}
		s.head = g.step(t)
		g.connect(outer.last, s.head, solid, "")
	}
	s.last = s.head
	return s
}

// end draws the end of the frame of s and the edges that leave s. The parts of s have been drawn.
func (g *graph) end(outer, s *span) {
	switch s.tree.Role {
	case flow.RoleBranch:
		if outer.tree.Edges != nil {
			outer.lasts = append(outer.lasts, s.last)
			return
		}
		g.connect(s.last, outer.join, solid, "")
		outer.last = outer.join
	case flow.RoleHandler, flow.RoleHook, flow.RoleUndo:
	default:
		if s.tree.Loop {
			g.connect(s.last, s.head, dashed, "again")
			s.last = s.head
		}
		if s.tree.Edges != nil {
			s.last = g.gather(s, len(s.tree.Edges)-1) // Holds may have a handler too
		}
		if s.frame != none {
			g.order = append(g.order, mark{frameEnd, s.frame})
		}
		outer.last = s.last
	}
}

// gather returns the vertex that stands for the values in edge list i of the flow.Graph s: the only vertex
// that the list names, a new vertex where several meet, or the head of s if the list names none. It ignores edges that
// lead nowhere: a Tree that isn't from flow.Describe may have some.
func (g *graph) gather(s *span, i int) int {
	var from []int
	if i >= 0 && i < len(s.tree.Edges) {
		for _, branch := range s.tree.Edges[i] {
			v := s.head
			if branch >= 0 && branch < len(s.lasts) {
				v = s.lasts[branch]
			} else if branch != -1 {
				continue
			}
			if !slices.Contains(from, v) {
				from = append(from, v)
			}
		}
	}
	switch len(from) {
	case 0:
		return s.head
	case 1:
		return from[0]
	}
	meet := g.vertex(meeting)
	for _, v := range from {
		g.connect(v, meet, solid, "")
	}
	return meet
}

func (g *graph) vertex(s shape, lines ...string) int {
	g.vertices = append(g.vertices, vertex{shape: s, lines: lines})
	g.order = append(g.order, mark{vertexMark, len(g.vertices) - 1})
	return len(g.vertices) - 1
}

func (g *graph) connect(from, to int, s style, text string) {
	g.edges = append(g.edges, edge{from, to, s, text})
}
