package debug

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// download serves flight?id=7: the flight record of a failed run, and what the page of the run shows.
func (h *Handler) download(w http.ResponseWriter, r *http.Request) error {
	found, err := h.asked(r)
	if err != nil {
		return err
	}
	found.mu.Lock()
	record := found.flight
	found.mu.Unlock()
	if record == nil {
		return errNoFlight
	}
	view, err := h.oneRun(r)
	if err != nil {
		return err
	}
	events, err := json.MarshalIndent(view, "", "\t")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, file := range []struct {
		name string
		body []byte
	}{{"trace.out", record}, {"run.json", events}} {
		f, err := z.Create(file.name)
		if err != nil {
			return err
		}
		if _, err := f.Write(file.body); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	attach(w, fmt.Sprintf("flight-%d.zip", found.run.ID), "application/zip", b.Bytes())
	return nil
}
