package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// world is the other side of the services: an http.Handler for PUT and DELETE /{trip}/{service}.
type world struct {
	trouble map[string]map[string]trouble // by trip, by service

	mu     sync.Mutex
	calls  []string // "PUT T-1/car"
	booked []string // "T-1/car"
}

// trouble is how a service misbehaves.
type trouble string

const (
	full  trouble = "full"  // it books nothing
	lost  trouble = "lost"  // it books, but its answer doesn't arrive
	stuck trouble = "stuck" // it neither books nor answers
	busy  trouble = "busy"  // it cancels when asked the third time
	deaf  trouble = "deaf"  // it never cancels
)

// newWorld reads trips from lines of JSON.
func newWorld(data []byte) (w *world, trips []string, err error) {
	w = &world{trouble: make(map[string]map[string]trouble)}
	for lines := json.NewDecoder(bytes.NewReader(data)); ; {
		var line struct {
			Trip    string             `json:"trip"`
			Trouble map[string]trouble `json:"trouble"` // by service
		}
		if err := lines.Decode(&line); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return w, trips, err
		}
		trips = append(trips, line.Trip)
		w.trouble[line.Trip] = line.Trouble
	}
}

func (w *world) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	booking := strings.TrimPrefix(r.URL.Path, "/")
	trip, service, _ := strings.Cut(booking, "/")
	times := w.note(r.Method + " " + booking)
	switch wrong, put := w.trouble[trip][service], r.Method == http.MethodPut; {
	case put && wrong == full:
		http.Error(answer, "no room", http.StatusConflict)
	case put && wrong == lost:
		w.set(booking, true)
		panic(http.ErrAbortHandler) // which closes the connection
	case put && wrong == stuck:
		<-r.Context().Done()
	case !put && (wrong == deaf || wrong == busy && times < 3):
		http.Error(answer, "ask later", http.StatusServiceUnavailable)
	default:
		w.set(booking, put)
	}
}

// note records a call, and returns how often it was made so far.
func (w *world) note(call string) (times int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, call)
	for _, c := range w.calls {
		if c == call {
			times++
		}
	}
	return times
}

func (w *world) set(booking string, booked bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.booked = slices.DeleteFunc(w.booked, func(b string) bool { return b == booking })
	if booked {
		w.booked = append(w.booked, booking)
	}
}

// account returns the calls for a trip, in order, and the services that have booked it.
func (w *world) account(trip string) (calls, services []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.calls {
		if method, service, ours := strings.Cut(c, " "+trip+"/"); ours {
			calls = append(calls, method+" "+service)
		}
	}
	for _, b := range w.booked {
		if _, service, ours := strings.Cut(b, trip+"/"); ours {
			services = append(services, service)
		}
	}
	return calls, services
}
