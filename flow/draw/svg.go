package draw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
)

// ErrNoGraphviz is the error of SVG if the program dot isn't installed.
var ErrNoGraphviz = fault.New(fault.NotImplemented, "the program dot of Graphviz is not installed")

var errNoTree = fault.New(fault.InvalidRequest, "there is no plan to draw: the Tree is nil")

// SVG writes t as an svg element that needs nothing else: no file, no font, no
// script, no address. It can be a file of its own, or a part of a web page. A marked
// step is a group of the class "node" and its [State], so that a style sheet finds it.
//
// The layout is made by dot, a program of Graphviz, which SVG looks for in PATH;
// errors.Is(err, ErrNoGraphviz) if it isn't there. It is killed when ctx ends,
// and the error is then the cause of ctx; give a limit for plans of unknown
// size, because layout takes long for thousands of steps. If dot fails, the error
// wraps *exec.ExitError and says what dot said. Otherwise errors are those of
// [DOT] and of w, to which nothing is written unless the picture is whole.
func SVG(ctx context.Context, w io.Writer, t *flow.Tree, marks ...Marks) error {
	if ctx == nil {
		return fault.New(fault.InvalidRequest, "the context is nil")
	}
	var text, picture, said bytes.Buffer
	if err := DOT(&text, t, marks...); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "dot", "-Tsvg")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &text, &picture, &said
	switch err := cmd.Run(); {
	case err == nil:
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w: %w", ErrNoGraphviz, err)
	default:
		return fmt.Errorf("dot: %w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	// What comes before the element belongs to a file, and names an address.
	at := bytes.Index(picture.Bytes(), []byte("<svg"))
	if at < 0 {
		return errors.New("dot: its output is no SVG")
	}
	_, err := w.Write(picture.Bytes()[at:])
	return err
}
