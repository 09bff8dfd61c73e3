package timeline

import (
	"bytes"
	"fmt"
	"html"
	"io"

	"github.com/futoin-go/asyncsteps/observe"
)

const pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Timeline of runs</title>
<style>
body { font: 14px sans-serif; color: #222; background: #fff; margin: 1em }
svg { max-width: 100%; height: auto }
table { border-collapse: collapse }
caption { text-align: left; font-weight: bold; padding: 1em 0 .3em }
th, td { padding: .15em .8em; border-bottom: 1px solid #e4e4e4; text-align: right }
th:nth-child(-n+2), td:nth-child(-n+2) { text-align: left }
</style>
</head>
<body>
<h1>Timeline of runs</h1>
`

const tableHead = `<tr><th scope="col">step</th><th scope="col">path</th><th scope="col">times</th>` +
	`<th scope="col">in all</th><th scope="col">waiting</th><th scope="col">queued</th><th scope="col">failed</th></tr>` + "\n"

// WriteHTML writes a page with the picture of [WriteSVG], and below it a table for each run: how often each step ran, how
// long it took in all, how much of that time it waited or was queued, and how often it ended by an error or a cancel. The page
// refers to no other files and has no script. WriteHTML returns the error of w.
func WriteHTML(w io.Writer, runs ...observe.Recording) error {
	var page bytes.Buffer
	page.WriteString(pageHead)
	page.Write(svg(runs))
	stories, _ := tell(runs)
	for _, s := range stories {
		table(&page, s)
	}
	page.WriteString("</body>\n</html>\n")
	_, err := w.Write(page.Bytes())
	return err
}

func table(page *bytes.Buffer, s *story) {
	fmt.Fprintf(page, "<table>\n<caption>%s: %s, %v</caption>\n", html.EscapeString(s.title()), html.EscapeString(s.outcome()), s.end-s.start)
	page.WriteString(tableHead)
	for _, r := range rows(s.lives) {
		sum := r.sums()
		fmt.Fprintf(page, "<tr><td>%s</td><td>%s</td><td>%d</td><td>%v</td><td>%v</td><td>%v</td><td>%d</td></tr>\n",
			html.EscapeString(r.label), html.EscapeString(r.path), len(r.lives), sum.lived, sum.waited, sum.queued, sum.failed)
	}
	page.WriteString("</table>\n")
}
