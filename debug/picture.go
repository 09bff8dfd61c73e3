package debug

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

const (
	// drawLimit bounds the layout of a picture, including the wait for other layouts.
	drawLimit = 5 * time.Second

	// maxDrawn is how many parts a plan may have to be drawn.
	maxDrawn = 500
)

// sketch is a plan to be drawn.
type sketch struct {
	plan  *flow.Tree
	marks draw.Marks
}

// drawn draws a plan. It bounds how many processes of Graphviz there are, and
// for how long.
var drawn = flow.Timeout(drawLimit, syncx.Sync(syncx.NewMutex(2, 20),
	step.Await(func(ctx context.Context, s sketch) ([]byte, error) {
		var b bytes.Buffer
		err := draw.SVG(ctx, &b, s.plan, s.marks)
		return b.Bytes(), err
	})))

// pictureStyle makes the picture fit a dark page. It is in the picture itself, because an SVG
// image in a page sees neither the page nor its style sheet.
const pictureStyle = `<style>
@media (prefers-color-scheme: dark) {
  text { fill: #e6e9ec }
  .graph > polygon { fill: #15191d }
  .node polygon, .node path, .node ellipse, .edge path { stroke: #9aa5b0 }
  .edge polygon { stroke: #9aa5b0; fill: #9aa5b0 }
  .running text, .waiting text, .failed text { fill: #000 }
}
</style>`

var (
	errTooLarge = &refusal{http.StatusUnprocessableEntity, fmt.Sprintf("there is no picture: the plan has more than %d parts", maxDrawn)}
	errNoDot    = &refusal{http.StatusNotImplemented, "there is no picture: Graphviz isn't installed where this runs"}
	errSlow     = &refusal{http.StatusServiceUnavailable, fmt.Sprintf("there is no picture: it would take more than %v", drawLimit)}
)

// picture serves plan.svg?id=7: the plan of a run, with marks where it stands.
func (h *Handler) picture(w http.ResponseWriter, r *http.Request) error {
	found, err := h.asked(r)
	if err != nil {
		return err
	}
	o := h.outline.of(found.run)
	if len(o.parts) > maxDrawn {
		return errTooLarge
	}
	marks := marksOf(o, found.view(newLook(h.book.options.Clock()), maxSteps))
	// Not the context of the request: it may be one that a Handler observes.
	svg, err := flow.Run(plain{r.Context()}, drawn, sketch{o.tree, marks})
	switch {
	case err == nil:
	case errors.Is(err, draw.ErrNoGraphviz):
		return errNoDot
	case fault.Is(err, fault.Timeout) || fault.Is(err, fault.DefenseRejected):
		return errSlow
	default:
		return err
	}
	if end := bytes.IndexByte(svg, '>'); end >= 0 {
		svg = bytes.Join([][]byte{svg[:end+1], []byte(pictureStyle), svg[end+1:]}, nil)
	}
	head := w.Header()
	head.Set("Content-Type", "image/svg+xml")
	head.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	_, err = w.Write(svg)
	return err
}
