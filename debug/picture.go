package debug

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/syncx"
)

// drawLimit is for the layout, and for waiting until others have theirs.
const drawLimit = 2 * time.Second

// drawing is what came of an attempt to draw.
type drawing struct {
	svg []byte
	err error
}

// drawn draws a plan. It bounds how many processes of Graphviz there are, and
// for how long.
var drawn = flow.Timeout(drawLimit, syncx.Sync(syncx.NewMutex(2, 20),
	flow.AwaitChan(func(ctx context.Context, plan *flow.Tree) <-chan drawing {
		var b bytes.Buffer
		err := draw.SVG(ctx, &b, plan)
		done := make(chan drawing, 1)
		done <- drawing{b.Bytes(), err}
		return done
	})))

// Boxes whose text begins with a sign, as Graphviz writes them.
var (
	boxLive   = regexp.MustCompile(`(<polygon fill=")none("[^>]*>\s*<text [^>]*>` + signLive + `)`)
	boxFailed = regexp.MustCompile(`(<polygon fill=")none("[^>]*>\s*<text [^>]*>` + signFailed + `)`)
)

// coloured makes what is marked visible from afar.
func coloured(svg []byte) []byte {
	svg = boxLive.ReplaceAll(svg, []byte("${1}#ffdf99${2}"))
	return boxFailed.ReplaceAll(svg, []byte("${1}#ffc9c2${2}"))
}

// picture is plan as the address of an img element, or the reason why it is
// none. A picture that is a document of its own, inside of such an element, can
// do nothing, whatever is written in it.
func picture(plan *flow.Tree) (address template.URL, reason string) {
	// Not the context of the request: it may be one that a Handler observes.
	d, err := flow.Run(context.Background(), drawn, plan)
	switch err := errors.Join(err, d.err); {
	case err == nil:
		svg := coloured(d.svg)
		return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)), "" //nolint:gosec // made here
	case errors.Is(err, draw.ErrNoGraphviz):
		return "", "There is no picture: Graphviz isn't installed where this runs."
	case errors.Is(err, fault.Timeout):
		return "", fmt.Sprintf("There is no picture: it would take more than %v.", drawLimit)
	default:
		return "", "There is no picture: " + brief(err)
	}
}
