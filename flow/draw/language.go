package draw

import (
	"bufio"
	"fmt"
	"io"

	"github.com/futoin-go/asyncsteps/flow"
)

// language describes how to write the text of a graph.
type language struct {
	head, tail string
	begin, end string // the text before and after the vertices of a frame; begin is a format for the number of the frame
	vertex     func(w io.Writer, index int, v vertex)
	edge       func(w io.Writer, e edge)
}

func (l language) write(w io.Writer, t *flow.Tree, marks []Marks) error {
	if t == nil {
		return errNoTree
	}
	b := bufio.NewWriter(w) // it remembers the first error
	g := newGraph(t, marks)
	io.WriteString(b, l.head)
	for _, m := range g.order {
		switch m.what {
		case frameBegin:
			fmt.Fprintf(b, l.begin, m.index)
		case frameEnd:
			io.WriteString(b, l.end)
		case vertexMark:
			l.vertex(b, m.index, g.vertices[m.index])
		}
	}
	for _, e := range g.edges {
		l.edge(b, e)
	}
	io.WriteString(b, l.tail)
	return b.Flush()
}
