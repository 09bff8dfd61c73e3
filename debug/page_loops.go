package debug

import "net/http"

// loopsView is the page of loops.
type loopsView struct {
	Loops []loopView `json:"loops"`
}

// loopView is a loop.
type loopView struct {
	Name string `json:"name"`
	Live int    `json:"live"` // runs on it, observed or not

	// Lag is how long a callback waited before the loop got to it. If Problem
	// isn't "", the loop didn't.
	Lag     span   `json:"lag"`
	Problem string `json:"problem,omitempty"`
}

func (h *Handler) allLoops(*http.Request) (any, error) {
	_, loops := h.shown()
	v := loopsView{Loops: make([]loopView, len(loops))}
	for i, answer := range measure(loops) {
		v.Loops[i] = loopView{Name: loops[i].name, Live: loops[i].Host().Live(), Lag: span(answer.lag), Problem: answer.problem}
	}
	return v, nil
}
