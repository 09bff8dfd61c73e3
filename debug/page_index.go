package debug

import "net/http"

// indexView is the first page.
type indexView struct {
	Guards int `json:"guards"` // pages tell more
	Loops  int `json:"loops"`

	// Live are the live runs, oldest first. Unlisted is how many more there are.
	Live     []runView `json:"live"`
	Unlisted int       `json:"unlisted"`

	// Ended are runs that have ended, latest first.
	Ended []runView `json:"ended"`
}

// maxStands is how many steps of a run the first page lists.
const maxStands = 4

func (h *Handler) index(*http.Request) (any, error) {
	guards, loops := h.shown()
	live, others := h.book.running()
	v := indexView{Guards: len(guards), Loops: len(loops), Live: []runView{}, Unlisted: others, Ended: []runView{}}
	for _, r := range live {
		v.Live = append(v.Live, r.snapshot().view(maxStands))
	}
	for _, r := range h.book.over() {
		v.Ended = append(v.Ended, r.snapshot().view(maxStands))
	}
	return v, nil
}
