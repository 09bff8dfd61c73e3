package debug

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/pprof"
	"strconv"
)

var (
	errNoControl = &refusal{http.StatusForbidden, "nothing can be changed here: Options.Control is off"}
	errOrigin    = &refusal{http.StatusForbidden, "only a page of the same origin may ask for this"}
	errEnded     = &refusal{http.StatusConflict, "the run has ended already"}
	errPost      = &refusal{http.StatusMethodNotAllowed, "this changes something: use POST"}
	errNoFlight  = &refusal{http.StatusNotFound, "there is no flight record of this run"}
)

// origin accepts requests from pages of this server, and from clients that aren't browsers: another site can trick only a
// browser into a request.
var origin = http.NewCrossOriginProtection()

func (h *Handler) allowed(r *http.Request) error {
	switch {
	case r.Method != http.MethodPost:
		return errPost
	case !h.book.options.Control:
		return errNoControl
	case origin.Check(r) != nil:
		return errOrigin
	}
	return nil
}

// control returns the run that a request is about. It returns an error if the request isn't allowed, or the run isn't kept.
func (h *Handler) control(r *http.Request) (*record, error) {
	if err := h.allowed(r); err != nil {
		return nil, err
	}
	return h.asked(r)
}

func (h *Handler) asked(r *http.Request) (*record, error) {
	id, err := strconv.ParseUint(r.URL.Query().Get("id"), 10, 64)
	if err != nil {
		return nil, errBadRun
	}
	found := h.book.find(id)
	if found == nil {
		return nil, errNoRun
	}
	return found, nil
}

// cancel serves POST cancel?id=7.
func (h *Handler) cancel(w http.ResponseWriter, r *http.Request) error {
	found, err := h.control(r)
	if err != nil {
		return err
	}
	if found.over() || found.cancel == nil {
		return errEnded
	}
	found.cancel(errByHand)
	http.Redirect(w, r, "run?id="+strconv.FormatUint(found.run.ID, 10), http.StatusSeeOther)
	return nil
}

// dump holds what the page of a run shows, and the stacks of the goroutines of the process.
type dump struct {
	Run        any    `json:"run"`
	Goroutines string `json:"goroutines"` // goroutines with equal stacks are listed together
}

const maxDump = 4 << 20

func (h *Handler) dump(w http.ResponseWriter, r *http.Request) error {
	found, err := h.control(r)
	if err != nil {
		return err
	}
	var stacks bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&stacks, 1); err != nil {
		return err
	}
	view, err := h.oneRun(r)
	if err != nil {
		return err
	}
	body, err := json.MarshalIndent(dump{view, clip(stacks.String(), maxDump)}, "", "\t")
	if err != nil {
		return err
	}
	attach(w, fmt.Sprintf("run-%d.json", found.run.ID), "application/json", body)
	return nil
}

func attach(w http.ResponseWriter, name, contentType string, body []byte) {
	head := w.Header()
	head.Set("Content-Type", contentType)
	head.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	head.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a client that has gone misses nothing
}
