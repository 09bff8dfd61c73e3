package debug

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/futoin-go/asyncsteps/flow/draw"
)

const maxDrawn = 10_000

var errTooLarge = &refusal{http.StatusUnprocessableEntity, fmt.Sprintf("there is no picture: the plan has more than %d parts", maxDrawn)}

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
	var svg bytes.Buffer
	if err := draw.SVG(&svg, o.tree, marksOf(o, found.view(newLook(h.book.options.Clock()), maxSteps))); err != nil {
		return err
	}
	head := w.Header()
	head.Set("Content-Type", "image/svg+xml")
	head.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	_, _ = svg.WriteTo(w) // an error means that the client has gone
	return nil
}
