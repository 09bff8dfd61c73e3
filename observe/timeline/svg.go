package timeline

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"time"

	"github.com/futoin-go/asyncsteps/observe"
)

// Sizes, in pixels.
const (
	pageWidth  = 1100
	labelWidth = 280
	margin     = 20
	rowHeight  = 20
	barHeight  = 12
	legendRow  = 34
	axisRow    = 20
	titleRow   = 26
	indent     = 12
	thin       = 2 // the least width of a bar
)

// WriteSVG draws runs as one SVG image, which refers to no other files. It returns the error of w.
func WriteSVG(w io.Writer, runs ...observe.Recording) error {
	_, err := w.Write(svg(runs))
	return err
}

func svg(runs []observe.Recording) []byte {
	stories, end := tell(runs)
	p := &picture{axis: axis{left: labelWidth, width: pageWidth - labelWidth - margin, end: end}}
	p.y = legendRow + axisRow
	for _, s := range stories {
		p.story(s)
	}
	height := p.y + margin/2

	var all bytes.Buffer
	fmt.Fprintf(&all, `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 %d %d" width="%d" height="%d">`+"\n",
		pageWidth, height, pageWidth, height)
	all.WriteString("<title>Timeline of runs</title>\n" + style)
	fmt.Fprintf(&all, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", pageWidth, height)
	all.WriteString(legend)
	p.grid(&all, height)
	_, _ = p.WriteTo(&all)
	all.WriteString("</svg>\n")
	return all.Bytes()
}

// picture is the drawing so far, from the top down to y.
type picture struct {
	bytes.Buffer
	axis axis
	y    int
}

func (p *picture) grid(to *bytes.Buffer, height int) {
	for _, t := range p.axis.ticks() {
		x := p.axis.at(t)
		fmt.Fprintf(to, `<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, x, legendRow+axisRow, x, height)
		fmt.Fprintf(to, `<text class="time" x="%.1f" y="%d">%v</text>`+"\n", x, legendRow+axisRow-6, t)
	}
}

func (p *picture) story(s *story) {
	class := "title"
	if s.err != nil {
		class = "title failed"
	}
	about := s.title() + ": " + s.outcome()
	fmt.Fprintf(p, `<text class="%s" x="%d" y="%d">%s</text>`+"\n",
		class, margin/2, p.y+17, html.EscapeString(shortened(about, 150)))
	p.y += titleRow
	p.bar("run", s.start, s.end, p.y-5, 3, about)
	for _, m := range s.marks {
		p.mark(m, p.y-4)
	}
	for _, r := range rows(s.lives) {
		p.row(r)
	}
}

func (p *picture) row(r *row) {
	label := r.label
	if n := len(r.lives); n > 1 {
		label = fmt.Sprintf("%s ×%d", label, n)
	}
	x := margin/2 + min(r.depth, 8)*indent
	fmt.Fprintf(p, `<text x="%d" y="%d">%s <tspan class="path">%s</tspan></text>`+"\n",
		x, p.y+14, html.EscapeString(shortened(label, 24)), html.EscapeString(shortened(r.path, 18)))
	for _, l := range r.lives {
		p.life(l)
	}
	p.y += rowHeight
}

// life draws one bar for the time of the step. Over the bar it draws the waits of the step, and over these the signs of events.
func (p *picture) life(l *life) {
	class := "life"
	switch {
	case !l.ended:
		class = "life open"
	case l.err != nil:
		class = "life failed"
	}
	y := p.y + (rowHeight-barHeight)/2
	p.bar(class, l.from, l.to, y, barHeight, l.say())
	for _, w := range l.waits {
		class := "waiting"
		if w.queued {
			class = "queued"
		}
		p.bar(class, w.from, w.to, y+1, barHeight-2, l.label+" "+w.say())
	}
	for _, m := range l.marks {
		p.mark(m, p.y+rowHeight/2)
	}
}

func (p *picture) bar(class string, from, to time.Duration, y, height int, about string) {
	x := p.axis.at(from)
	fmt.Fprintf(p, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d"><title>%s</title></rect>`+"\n",
		class, x, y, max(p.axis.at(to)-x, thin), height, html.EscapeString(about))
}

func (p *picture) mark(m mark, y int) {
	fmt.Fprintf(p, `<path class="%s" d="M%.1f %d%s"><title>%s</title></path>`+"\n",
		sign(m.kind), p.axis.at(m.at), y, outline[sign(m.kind)], html.EscapeString(fmt.Sprintf("%v: %s", m.at, m.say())))
}
