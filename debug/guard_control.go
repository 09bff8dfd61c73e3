package debug

import (
	"net/http"
	"strconv"

	"github.com/futoin-go/asyncsteps/syncx"
)

var (
	errNoGuard = &refusal{http.StatusNotFound, "there is no such guard"}
	errNoHand  = &refusal{http.StatusBadRequest, "this guard can't do that: open and close are for breakers, limit is for guards that have one"}
	errBadSet  = &refusal{http.StatusBadRequest, "the limit is a number"}
)

type switched interface {
	Isolate()
	Reset()
}

// limited is a guard whose limit can be set by hand, such as a *syncx.Mutex.
type limited interface {
	Capacity() int
	SetCapacity(n int) error
}

type handView struct{ Breaker, Limit bool }

func (v handView) Any() bool { return v.Breaker || v.Limit }

// hands returns which changes of the guard a page offers. allowed is Options.Control.
func (g *guard) hands(allowed bool) (v handView) {
	if allowed && g.problem == "" {
		_, v.Breaker = g.Guard.(switched)
		_, v.Limit = g.Guard.(limited)
	}
	return v
}

// state returns the state of a breaker, or "".
func (g *guard) state() string {
	if b, ok := g.Guard.(interface{ State() syncx.BreakerState }); ok && g.problem == "" {
		return b.State().String()
	}
	return ""
}

// setGuard serves POST guard?number=1&do=open, do=close, and do=limit with the form value limit.
func (h *Handler) setGuard(w http.ResponseWriter, r *http.Request) error {
	if err := h.allowed(r); err != nil {
		return err
	}
	query := r.URL.Query()
	for _, g := range *h.book.guards.Load() {
		if strconv.Itoa(g.number) == query.Get("number") {
			r.Body = http.MaxBytesReader(w, r.Body, maxQuery)
			if err := g.set(query.Get("do"), r.PostFormValue); err != nil {
				return err
			}
			http.Redirect(w, r, "guards#g"+strconv.Itoa(g.number), http.StatusSeeOther)
			return nil
		}
	}
	return errNoGuard
}

// set carries out the action do. value returns an argument of the action by its name.
func (g *guard) set(do string, value func(string) string) error {
	can := g.hands(true)
	switch {
	case do == "open" && can.Breaker:
		g.Guard.(switched).Isolate()
	case do == "close" && can.Breaker:
		g.Guard.(switched).Reset()
	case do == "limit" && can.Limit:
		n, err := strconv.Atoi(value("limit"))
		if err != nil {
			return errBadSet
		}
		if err := g.Guard.(limited).SetCapacity(n); err != nil {
			return &refusal{http.StatusBadRequest, brief(err)}
		}
	default:
		return errNoHand
	}
	return nil
}
