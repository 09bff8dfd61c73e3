package debug

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
)

// guardsView is the page of guards.
type guardsView struct {
	Guards []guardView `json:"guards"`
}

// guardView is a guard with the steps that are inside of it, and those that wait
// for it, those that came first leading.
type guardView struct {
	Name    string      `json:"name"`
	Kind    string      `json:"kind"`
	Problem string      `json:"problem,omitempty"` // it isn't well formed
	Inside  int         `json:"inside"`
	Queued  int         `json:"queued"`
	Holders []entryView `json:"holders"`
	Queue   []entryView `json:"queue"`
}

// entryView is a step at a guard.
type entryView struct {
	Run  uint64 `json:"run"`
	Plan string `json:"plan"`
	stepView
}

// maxEntries is how many steps are listed as holders of a guard, and in its queue.
const maxEntries = 200

func (h *Handler) allGuards(*http.Request) (any, error) {
	guards, _ := h.shown()
	holders, queues := h.entries()
	v := guardsView{Guards: []guardView{}}
	for _, g := range guards {
		one := guardView{
			Name: g.name, Kind: fmt.Sprintf("%T", g.Guard),
			Inside: len(holders[g.name]), Queued: len(queues[g.name]),
			Holders: listed(holders[g.name]), Queue: listed(queues[g.name]),
		}
		one.ask(g)
		v.Guards = append(v.Guards, one)
	}
	return v, nil
}

// ask lets a guard speak for itself, if it can.
func (v *guardView) ask(g guard) {
	if checked, ok := g.Guard.(interface{ Err() error }); ok {
		if err := checked.Err(); err != nil {
			v.Problem = brief(err)
			return
		}
	}
	if counting, ok := g.Guard.(interface {
		Inside() int
		Queued() int
	}); ok {
		v.Inside, v.Queued = counting.Inside(), counting.Queued()
	}
}

// entries finds the steps of live runs that are at guards, by the guards' names.
func (h *Handler) entries() (holders, queues map[string][]entryView) {
	holders, queues = make(map[string][]entryView), make(map[string][]entryView)
	live, _ := h.book.running()
	for _, r := range live {
		s := r.snapshot()
		for path, at := range s.steps {
			if at.guard == "" {
				continue
			}
			list := holders
			if at.state == queued {
				list = queues
			}
			list[at.guard] = append(list[at.guard], entryView{s.run.ID, s.run.Name(), s.step(path)})
		}
	}
	return holders, queues
}

// listed puts the entries that have been there longest first.
func listed(entries []entryView) []entryView {
	slices.SortFunc(entries, func(a, b entryView) int {
		return cmp.Or(cmp.Compare(b.For, a.For), cmp.Compare(a.Run, b.Run), comparePaths(a.Path, b.Path))
	})
	return slices.Clip(append([]entryView{}, entries[:min(len(entries), maxEntries)]...))
}
