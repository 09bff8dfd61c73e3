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

// maxQuery bounds the query of a URL, which a page repeats in its form and links.
const maxQuery = 2000

type page struct {
	template string
	view     func(*Handler, *http.Request) (any, error)
}

var pages = map[string]page{
	"":       {"index", (*Handler).index},
	"index":  {"index", (*Handler).index},
	"plans":  {"plans", (*Handler).allPlans},
	"plan":   {"plan", (*Handler).onePlan},
	"steps":  {"steps", (*Handler).allSteps},
	"run":    {"run", (*Handler).oneRun},
	"guards": {"guards", (*Handler).allGuards},
	"loops":  {"loops", (*Handler).allLoops},
	"jobs":   {"jobs", (*Handler).allJobs},

	"durable":     {"durable", (*Handler).allDurable},
	"durable-run": {"durable-run", (*Handler).oneDurable},
}

// action serves a request that isn't for a page. If it returns an error, the error is the answer.
type action func(*Handler, http.ResponseWriter, *http.Request) error

var actions = map[string]action{
	"live":     (*Handler).live,
	"plan.svg": (*Handler).picture,
	"flight":   (*Handler).download,
	"cancel":   (*Handler).cancel,
	"dump":     (*Handler).dump,
	"guard":    (*Handler).setGuard,
	"job":      (*Handler).runJob,
}

// changes are the actions that change something, or are expensive: they need POST.
var changes = map[string]bool{"cancel": true, "dump": true, "guard": true, "job": true}

type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

var (
	errNoRun     = &refusal{http.StatusNotFound, "there is no such run: it has ended, and newer ones have taken its place"}
	errNoPage    = &refusal{http.StatusNotFound, "there is no such page: see index, plans, plan?id=7, steps, run?id=7, guards, loops, jobs and durable"}
	errBadRun    = &refusal{http.StatusBadRequest, "which run? Its id is a number, as in run?id=7"}
	errBadForm   = &refusal{http.StatusBadRequest, "the format is html or json"}
	errLongQuery = &refusal{http.StatusRequestURITooLong, "the query is longer than " + itoa(maxQuery) + " bytes"}
	errMethod    = &refusal{http.StatusMethodNotAllowed, "this can only be read: use GET or HEAD"}
	errGet       = &refusal{http.StatusMethodNotAllowed, "this can only be read: use GET"}
)

var allowed = map[*refusal]string{errMethod: "GET, HEAD", errGet: "GET", errPost: "POST"}

// ServeHTTP serves the pages that the comment of the package lists. For the page of loops it waits up to 250 ms for the answers of
// the loops. For the pages of durable runs it waits up to five seconds and a grace for each engine. Live updates go on until the
// client leaves or stops reading, or Close is called.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	if len(r.URL.RawQuery) > maxQuery {
		h.refuse(w, r, errLongQuery)
		return
	}
	if !h.book.options.servedAs(r) {
		h.refuse(w, r, errHost)
		return
	}
	_, last := path.Split(r.URL.Path)
	if act, known := actions[last]; known {
		if err := h.act(act, last, w, r); err != nil {
			h.refuse(w, r, err)
		}
		return
	}
	body, contentType, err := h.answer(r, last)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	reply(w, r, http.StatusOK, contentType, body)
}

func (h *Handler) act(do action, name string, w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && !changes[name] {
		return errGet
	}
	return do(h, w, r)
}

func reply(w http.ResponseWriter, r *http.Request, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) //nolint:gosec // escaped by html/template, or no page; a client that has gone misses nothing
	}
}

func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError // an unexpected error is a defect of this package
	if refused, ok := errors.AsType[*refusal](err); ok {
		status = refused.status
		if methods, ok := allowed[refused]; ok {
			w.Header().Set("Allow", methods)
		}
	}
	if framed(r, err) {
		f := h.frameOf(r, "error", errorView{http.StatusText(status), err.Error()})
		f.Live, f.JSON = "", ""
		if body, err := h.render(page{template: "error"}, f); err == nil {
			reply(w, r, status, "text/html; charset=utf-8", body)
			return
		}
	}
	reply(w, r, status, "text/plain; charset=utf-8", []byte(err.Error()+"\n"))
}

type errorView struct{ Title, Text string }

// framed reports whether an error is answered by a page. The answer is a line of text if the client isn't a browser, or if the
// request comes from another site, is for another host, or has a query that is too long.
func framed(r *http.Request, err error) bool {
	bare := errors.Is(err, errHost) || errors.Is(err, errOrigin) || errors.Is(err, errLongQuery)
	return !bare && strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html")
}

func (h *Handler) answer(r *http.Request, last string) (body []byte, contentType string, err error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, "", errMethod
	}
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
	body, err = h.render(p, h.frameOf(r, p.template, view))
	return body, "text/html; charset=utf-8", err
}

// frame is the data of a template: the view of the page, and what all pages show.
type frame struct {
	Page string // its template
	Live string // the address of its live updates
	JSON string // the address of the page as JSON
	View any

	Status  statusView
	Jobs    bool // there is a table of jobs
	Durable bool // there is an engine that keeps runs
}

func (h *Handler) frameOf(r *http.Request, name string, view any) frame {
	asJSON := name + ".json"
	values := r.URL.Query()
	values.Del("format")
	if len(values) > 0 {
		asJSON += "?" + values.Encode()
	}
	return frame{name, liveOf(r, name), asJSON, view, h.status(), len(h.jobs()) > 0, len(h.durable()) > 0}
}

func (*Handler) render(p page, f frame) ([]byte, error) {
	var b bytes.Buffer
	err := templates.ExecuteTemplate(&b, p.template, f)
	return b.Bytes(), err
}

// wantsJSON reports whether r wants the page as JSON. The URL has precedence over the header, which browsers send by themselves.
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

func protect(head http.Header) {
	head.Set("Content-Security-Policy", policy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("X-Frame-Options", "DENY")
	head.Set("Referrer-Policy", "same-origin")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	head.Set("Vary", "Accept")
}
