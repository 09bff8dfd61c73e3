package explore

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// ofConsole is the page run.json of a run.
type ofConsole struct {
	ID      uint64    `json:"id"`
	Name    string    `json:"name"`
	Started time.Time `json:"started"`
	Earlier int       `json:"earlier"`
	Events  []struct {
		At      float64 `json:"at"` // seconds
		What    string  `json:"what"`
		Path    string  `json:"path"`
		Label   string  `json:"label"`
		Outcome string  `json:"outcome"`
		Error   string  `json:"error"`
	} `json:"events"`
}

// FromConsole returns the incident of runs that the console of package debug has shown. Each file is the page run.json of a run, or
// the downloaded flight record of a run that has failed. The files have only the texts of errors: pass the errors that the plan
// looks for to [Incident.Errors].
func FromConsole(files ...[]byte) Incident {
	var in Incident
	var pages []ofConsole
	for i, file := range files {
		p, err := page(file)
		if err != nil {
			return in.refused("file %d: %v", i+1, err)
		}
		pages = append(pages, p)
	}
	if len(pages) == 0 {
		return in.refused("there is no file")
	}
	slices.SortFunc(pages, func(a, b ofConsole) int { return cmp.Compare(a.ID, b.ID) })
	for i, p := range pages {
		if p.Earlier > 0 {
			return in.refused("the console hasn't kept the first %d events of run %d: set debug.Options.Events", p.Earlier, i+1)
		}
		g := recorded{name: p.Name}
		began := p.Started.Sub(pages[0].Started)
		for _, h := range p.Events {
			e, known := told(h.What)
			if !known {
				return in.refused("file of run %d: unknown event %q", p.ID, h.What)
			}
			e.at, e.path, e.label, e.outcome = began+time.Duration(h.At*float64(time.Second)+0.5), h.Path, h.Label, h.Outcome
			if h.Error != "" {
				e.err, e.brief = errorOf(h.Error), true
				if e.kind == observe.StepEnd {
					e.err, e.code = fault.Code(h.Error), true
				}
			}
			g.events = append(g.events, e)
		}
		in.runs = append(in.runs, g)
	}
	return in.checked()
}

// largest bounds how many bytes of a page in a zip file are read.
const largest = 64 << 20

func page(file []byte) (p ofConsole, err error) {
	if z, zipped := zip.NewReader(bytes.NewReader(file), int64(len(file))); zipped == nil {
		f, err := z.Open("run.json")
		if err != nil {
			return p, err
		}
		defer func() { _ = f.Close() }()
		if file, err = io.ReadAll(io.LimitReader(f, largest)); err != nil {
			return p, err
		}
	}
	if err := json.Unmarshal(file, &p); err != nil {
		return p, fmt.Errorf("it is neither the page run.json of a run nor a flight record: %w", err)
	}
	if len(p.Events) == 0 {
		return p, errors.New("it has no events of a run")
	}
	return p, nil
}

// errorOf returns an error for the text of one: an error of known, an error of package fault if the text begins with a code, or
// else a new error. Unless the error is known, errorOf cuts off the place.
func errorOf(text string) error {
	for _, known := range known {
		if text == known.Error() {
			return known
		}
	}
	if i := strings.LastIndex(text, " (at "); i >= 0 && strings.HasSuffix(text, ")") {
		text = text[:i] // the machine adds the place again
	}
	if code, info, ok := strings.Cut(text, ": "); ok && coded.MatchString(code) {
		return fault.New(fault.Code(code), info)
	}
	return errors.New(text)
}
