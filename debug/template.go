package debug

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"

	"github.com/futoin-go/asyncsteps/flow/draw"
)

//go:embed pages/*.tmpl
var source embed.FS

//go:embed pages/style.css
var style string

//go:embed pages/live.js
var script string

// policy lets a page use its own style and script, the style of pictures of plans, pictures, live updates and forms of its own
// origin, and pictures in data URLs.
var policy = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
	"img-src 'self' data:; connect-src 'self'; style-src 'sha256-" + digest(style) + "' 'sha256-" + digest(draw.Style) + "'; script-src 'sha256-" + digest(script) + "'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// The results of these functions are escaped, except those of style and script, which are parts of this package.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"style":  func() template.CSS { return template.CSS(style) }, //nolint:gosec // a constant
	"script": func() template.JS { return template.JS(script) },  //nolint:gosec // a constant
	"list":   listOf,
	"figure": threeDigits,
}).ParseFS(source, "pages/*.tmpl"))
