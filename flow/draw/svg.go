package draw

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
)

var errNoTree = fault.New(fault.InvalidRequest, "there is no plan to draw: the Tree is nil")

// SVG writes t as an svg element that needs no other file. The element can be a file of its own, or a part of a web
// page. It has different colours for light pages and paper, and for dark pages. The box of a step begins with the name,
// the function or the kind of the step; types and the path appear when the mouse is over the box. The g element of a
// marked step has the [State] as a class, if that is a State of this package. If the [Mark] has a link, the g element is
// inside of that link.
//
// SVG makes the layout itself. It returns the error of w, or an error that Is fault.InvalidRequest if t is nil. The
// picture depends only on t and marks. Any number of goroutines may draw the same t.
func SVG(w io.Writer, t *flow.Tree, marks ...Marks) error {
	if t == nil {
		return errNoTree
	}
	b := bufio.NewWriter(w) // it remembers the first error
	newPicture(t, marks).write(b)
	return b.Flush()
}

func (p *picture) write(w io.Writer) {
	all := &p.blocks[0]
	width, height := all.w+2*pad, all.h+2*pad
	role := "img"
	for i := range p.blocks {
		if p.blocks[i].link != "" {
			role = "group" // an image has no links
		}
	}
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="drawn-plan" role="%s" aria-label="plan" width="%d" height="%d" viewBox="0 0 %d %d">`+"\n<style>%s</style>\n",
		role, width, height, width, height, Style)
	fmt.Fprintf(w, `<rect class="paper" width="%d" height="%d"/>`+"\n", width, height)
	for i := range p.blocks {
		if b := &p.blocks[i]; b.boxed() {
			b.write(w)
		}
	}
	p.writeWires(w)
	io.WriteString(w, "</svg>\n")
}

func (b *block) write(w io.Writer) {
	theme := themeOf(b.tree)
	if b.form == end {
		theme = works
	}
	class := [...]string{end: "end", leaf: "leaf", frame: "frame"}[b.form] + " " + theme.class
	if b.isAnswer() {
		class += " answer"
	}
	if states[b.state] {
		class += " " + string(b.state)
	}
	if b.link != "" {
		fmt.Fprintf(w, `<a href="%s">`, html.EscapeString(b.link))
	}
	fmt.Fprintf(w, `<g class="%s">`, class)
	if b.form != end {
		fmt.Fprintf(w, "<title>%s</title>", html.EscapeString(tooltip(b.tree)))
	}
	if b.many() {
		for d := cards; d > 0; d -= cards / 2 {
			b.writeBox(w, "card", d)
		}
	}
	b.writeBox(w, "box", 0)
	if b.form == frame {
		fmt.Fprintf(w, `<path class="head" d="M%d %dv-%dq0 -6 6 -6h%dq6 0 6 6v%dZ"/>`, b.x+1, b.y+b.head, b.head-7, b.boxW-14, b.head-7)
	}
	b.writeText(w, theme.sign)
	io.WriteString(w, "</g>")
	if b.link != "" {
		io.WriteString(w, "</a>")
	}
	io.WriteString(w, "\n")
}

func (b *block) isAnswer() bool {
	return b.tree != nil && (b.tree.Role == flow.RoleHandler || b.tree.Role == flow.RoleHook || b.tree.Role == flow.RoleUndo)
}

func (b *block) writeBox(w io.Writer, class string, shift int) {
	round := 6
	if b.form == end {
		round = b.boxH / 2
	}
	fmt.Fprintf(w, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="%d"/>`, class, b.x+shift, b.y+shift, b.boxW, b.boxH, round)
}

func (b *block) writeText(w io.Writer, sign string) {
	x, anchor, y := b.x+pad, "", b.y+pad/2
	if b.form != frame {
		x, anchor = b.x+b.boxW/2, " mid"
	}
	for i, l := range b.text {
		y += l.height()
		at := x
		if i == 0 && sign != "" {
			left := b.x + pad
			if b.form != frame {
				left = b.x + (b.boxW-l.width()-icon)/2
			}
			fmt.Fprintf(w, `<path class="sign" transform="translate(%d %d)" d="%s"/>`, left, y-15, sign)
			if at += icon; b.form != frame {
				at = x + icon/2
			}
		}
		fmt.Fprintf(w, `<text class="%s%s" x="%d" y="%d">%s</text>`, [...]string{title: "name", small: "small", note: "small note"}[l.size], anchor, at, y-4, html.EscapeString(l.text))
	}
}

// writeWires writes a path for the lines of each style, one for the heads of arrows, and one for the joins, unless they
// are empty.
func (p *picture) writeWires(w io.Writer) {
	var lines [3]strings.Builder
	var heads, joins strings.Builder
	for _, wire := range p.wires {
		wire.write(&lines[wire.style])
		if wire.arrow {
			wire.writeHead(&heads)
		}
	}
	for _, j := range p.joins {
		if j.race {
			fmt.Fprintf(&joins, "M%d %dl6 6l-6 6l-6 -6Z", j.x, j.y-6)
		} else {
			fmt.Fprintf(&joins, "M%d %dh8v4h-8Z", j.x-4, j.y-2)
		}
	}
	for style, name := range [...]string{solid: "wire", dashed: "wire dashed", dotted: "wire dotted"} {
		writePath(w, name, lines[style].String())
	}
	writePath(w, "arrow", heads.String())
	writePath(w, "join", joins.String())
}

func writePath(w io.Writer, class, d string) {
	if d != "" {
		fmt.Fprintf(w, `<path class="%s" d="%s"/>`+"\n", class, d)
	}
}
