// Package picturetest keeps the pictures of docs/pictures true. A test of a program draws the plan of the program there, or checks
// that the picture shows this plan.
package picturetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/internal/browsertest"
)

var wanted = flag.Bool("pictures", false, "make the pictures of docs/pictures anew")

// Plan draws a plan into docs/pictures/NAME.svg if the flag -pictures is given. Otherwise it fails the test if there is no
// such picture, or if the picture shows another plan.
func Plan(t *testing.T, name string, plan *flow.Tree) {
	t.Helper()
	file := path(t, name+".svg")
	if *wanted {
		var picture bytes.Buffer
		if err := draw.SVG(&picture, plan); err != nil {
			t.Fatal(err)
		}
		picture.WriteString(mark(plan))
		write(t, file, picture.String())
		return
	}
	picture, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !isOf(string(picture), plan) {
		t.Errorf("docs/pictures/%s.svg is of another plan: go test . -run %s -pictures draws it anew", name, t.Name())
	}
}

// mark returns the comment at the end of a picture by which the plan is identified. It has a hash of everything that is drawn. The
// digest of a plan wouldn't do, because it leaves out parameters and names of functions.
func mark(plan *flow.Tree) string {
	whole, err := json.Marshal(plan) //nolint:musttag // a Site is written with the names of its fields
	drawn := new(flow.Tree)
	if err == nil {
		err = json.Unmarshal(whole, drawn) //nolint:musttag // as above
	}
	for t := range drawn.All() {
		t.Site = fault.Site{} // it isn't drawn, and changes when lines above the plan are edited
	}
	text, again := json.Marshal(drawn) //nolint:musttag // as above
	if err := errors.Join(err, again); err != nil {
		return err.Error() // no picture ends with this text
	}
	return fmt.Sprintf("<!-- plan %x -->\n", sha256.Sum256(text))
}

func isOf(picture string, plan *flow.Tree) bool { return strings.HasSuffix(picture, mark(plan)) }

// Wanted skips the test unless the flag -pictures is given.
func Wanted(t *testing.T) {
	t.Helper()
	if !*wanted {
		t.Skip("makes a picture, if asked to by -pictures")
	}
}

// Page writes a picture of a browser's window to docs/pictures/NAME.png.
func Page(t *testing.T, name string, b *browsertest.Browser) {
	t.Helper()
	write(t, path(t, name+".png"), string(b.Window()))
}

// path returns the path of a file of docs/pictures, for a test of any package of the repository.
func path(t *testing.T, file string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		pictures := filepath.Join(dir, "docs", "pictures")
		if _, err := os.Stat(pictures); err == nil {
			return filepath.Join(pictures, file)
		}
	}
	t.Fatal("there is no folder docs/pictures")
	return ""
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Log("wrote", file)
}
