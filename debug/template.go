package debug

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
)

//go:embed pages.tmpl
var source embed.FS

//go:embed style.css
var style string

// policy lets a page use its own style and pictures that are part of it, nothing
// else: no script, no form, no frame, no address.
var policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"img-src data:; style-src 'sha256-" + digest(style) + "'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// The style is the only text that isn't escaped: it is ours.
var templates = template.Must(template.New("").
	Funcs(template.FuncMap{"style": func() template.CSS { return template.CSS(style) }}). //nolint:gosec // a constant
	ParseFS(source, "pages.tmpl"))
