package debug

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// page makes what one page shows: a struct for its template, and for JSON.
type page struct {
	template string
	view     func(*Handler, *http.Request) (any, error)
}

// drawable is a view to which draw adds what JSON goes without.
type drawable interface{ draw() }

var pages = map[string]page{
	"":       {"index", (*Handler).index},
	"index":  {"index", (*Handler).index},
	"run":    {"run", (*Handler).oneRun},
	"guards": {"guards", (*Handler).allGuards},
	"loops":  {"loops", (*Handler).allLoops},
}

// refusal is the answer to a request that can't be served.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

var (
	errNoRun   = &refusal{http.StatusNotFound, "there is no such run: it has ended, and newer ones have taken its place"}
	errNoPage  = &refusal{http.StatusNotFound, "there is no such page: see index, run?id=7, guards and loops"}
	errBadRun  = &refusal{http.StatusBadRequest, "which run? Its id is a number, as in run?id=7"}
	errBadForm = &refusal{http.StatusBadRequest, "the format is html or json"}
	errMethod  = &refusal{http.StatusMethodNotAllowed, "this can only be read: use GET or HEAD"}
)

// ServeHTTP serves the pages; the comment of the package says which. It may take
// 250 ms for the page of loops and two seconds to draw a plan, and gives up
// then.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	protect(head)
	status := http.StatusOK
	body, contentType, err := h.answer(r)
	if err != nil {
		status, body, contentType = refuse(head, err), []byte(err.Error()+"\n"), "text/plain; charset=utf-8"
	}
	head.Set("Content-Type", contentType)
	head.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) //nolint:gosec // escaped by html/template, or no page; a client that has gone misses nothing
	}
}

// refuse gives the status for an error.
func refuse(head http.Header, err error) (status int) {
	refused, ok := errors.AsType[*refusal](err)
	if !ok {
		return http.StatusInternalServerError // a defect of ours
	}
	if refused.status == http.StatusMethodNotAllowed {
		head.Set("Allow", "GET, HEAD")
	}
	return refused.status
}

// answer makes the page that r asks for.
func (h *Handler) answer(r *http.Request) (body []byte, contentType string, err error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, "", errMethod
	}
	_, last := path.Split(r.URL.Path)
	name, suffixed := strings.CutSuffix(last, ".json")
	p, known := pages[name]
	if !known || suffixed && name == "" {
		return nil, "", errNoPage
	}
	asJSON, err := wantsJSON(r, suffixed)
	if err != nil {
		return nil, "", err
	}
	view, err := p.view(h, r)
	if err != nil {
		return nil, "", err
	}
	if asJSON {
		body, err = json.Marshal(view)
		return append(body, '\n'), "application/json", err
	}
	if d, ok := view.(drawable); ok {
		d.draw()
	}
	var page bytes.Buffer
	err = templates.ExecuteTemplate(&page, p.template, view)
	return page.Bytes(), "text/html; charset=utf-8", err
}

// wantsJSON says in which form r wants the page: what the URL says goes before
// the header, which browsers send by themselves.
func wantsJSON(r *http.Request, suffixed bool) (bool, error) {
	switch r.URL.Query().Get("format") {
	case "json":
		return true, nil
	case "html":
		return false, nil
	case "":
	default:
		return false, errBadForm
	}
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return suffixed || strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html"), nil
}

// protect forbids a browser everything but to show the page.
func protect(head http.Header) {
	head.Set("Content-Security-Policy", policy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("X-Frame-Options", "DENY")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	head.Set("Vary", "Accept")
}
