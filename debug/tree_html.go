package debug

import (
	"html/template"
	"strings"

	"github.com/futoin-go/asyncsteps/flow/draw"
)

// treeHTML writes the rows of a plan as HTML, without a template. It writes text from outside by calling escaped.
func treeHTML(rows []treeRow) template.HTML {
	var b strings.Builder
	for _, r := range rows {
		switch {
		case r.Left > 0:
			b.WriteString(`<div class="leaf soft">… ` + itoa(r.Left) + " more parts</div>\n")
		case r.Holds && r.Open:
			b.WriteString("<details open><summary>")
			r.write(&b)
			b.WriteString("</summary>\n")
		case r.Holds:
			b.WriteString("<details><summary>")
			r.write(&b)
			b.WriteString("</summary>\n")
		default:
			b.WriteString(`<div class="leaf">`)
			r.write(&b)
			b.WriteString("</div>\n")
		}
		b.WriteString(strings.Repeat("</details>\n", r.Close))
	}
	return template.HTML(b.String()) //nolint:gosec // escaped
}

func (r treeRow) write(b *strings.Builder) {
	class := "good"
	if r.Mark != nil {
		sign := "▶"
		switch r.Mark.State {
		case draw.Waiting:
			class = "wait"
		case draw.Failed:
			sign, class = "✗", "bad"
		default:
		}
		b.WriteString(`<span class="mark ` + class + `">` + sign + "</span> ")
	}
	escaped(b, r.Kind)
	if r.Name != "" {
		b.WriteString(" <b><bdi>")
		escaped(b, r.Name)
		b.WriteString("</bdi></b>")
	}
	if r.Step {
		b.WriteString(" <code>")
		escaped(b, r.Path)
		b.WriteString(`</code> <span class="soft">`)
		escaped(b, r.Site)
		b.WriteString("</span>")
	}
	if r.Mark != nil {
		b.WriteString(` <span class="` + class + `">`)
		escaped(b, r.Mark.Note)
		b.WriteString("</span>")
	}
	if r.Inside > 0 {
		b.WriteString(` <span class="badge">` + itoa(r.Inside) + " inside</span>")
	}
}

// escaped writes text so that HTML shows it. Characters that HTML can't contain become the replacement character.
func escaped(b *strings.Builder, text string) {
	b.WriteString(template.HTMLEscapeString(strings.ToValidUTF8(text, "\ufffd")))
}
