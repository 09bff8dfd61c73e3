package main

import (
	"io"
	"net/http"
	"strconv"
	"sync"
)

type mood string

const (
	well mood = "well"
	slow mood = "slow" // it doesn't answer
	down mood = "down" // it answers with an error
)

// shop is the server behind a source: it sells tea at a fixed price.
type shop struct {
	price int

	mu    sync.Mutex
	mood  mood
	asked int
}

func (s *shop) set(m mood) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mood = m
}

func (s *shop) times() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (s *shop) note() mood {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return s.mood
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch m := s.note(); {
	case m == slow:
		<-r.Context().Done()
	case m == down:
		http.Error(w, "out of order", http.StatusInternalServerError)
	case r.FormValue("item") != "tea":
		http.NotFound(w, r)
	default:
		_, _ = io.WriteString(w, strconv.Itoa(s.price)) // nothing to do if the client has gone
	}
}
