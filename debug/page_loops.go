package debug

import "net/http"

type loopsView struct {
	Loops []loopView `json:"loops"`
}

type loopView struct {
	Name string `json:"name"`
	Live int    `json:"live"` // live runs on the loop, observed or not

	// Lag is how long a callback waited until the loop ran it. In a live update the callback may still wait. Problem is why the
	// loop didn't run the callback, or "".
	Lag     span       `json:"lag"`
	Problem string     `json:"problem,omitempty"`
	History []loopPast `json:"history"` // a sample each second, the latest one last

	Charts []chart `json:"-"`
}

type loopPast struct {
	Lag  span `json:"lag"`
	Live int  `json:"live"`
}

func (h *Handler) allLoops(r *http.Request) (any, error) {
	_, loops := h.shown()
	v := loopsView{Loops: make([]loopView, len(loops))}
	var answers []answer
	if !streamed(r) {
		answers = measure(loops) // live updates use samples, because they can't wait for a stuck loop
	}
	for i, l := range loops {
		v.Loops[i] = l.view()
		if answers != nil {
			l.found(answers[i])
			v.Loops[i].Lag, v.Loops[i].Problem = span(answers[i].lag), answers[i].problem
		}
	}
	return v, nil
}

func (l *loop) view() loopView {
	v := loopView{Name: l.name, Live: l.Host().Live(), History: []loopPast{}}
	l.mu.Lock()
	past := l.history.all()
	v.Problem = l.problem
	v.Lag = span(l.lag())
	l.mu.Unlock()
	for _, s := range past {
		v.History = append(v.History, loopPast{span(s.lag), s.live})
	}
	v.Charts = []chart{
		newChart("lag", past, func(s loopSample) float64 { return s.lag.Seconds() }, seconds),
		newChart("live runs", past, func(s loopSample) float64 { return float64(s.live) }, count),
	}
	return v
}
