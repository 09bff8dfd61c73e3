package debug

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/maphash"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// feed makes the pages for live updates. A page that several clients look at is made once in a period, when the first of them
// asks.
type feed struct {
	mu      sync.Mutex
	clients int
	topics  map[string]*topic // by page and query
	made    int               // how many pages were made; only tests read it
}

type topic struct {
	clients int // guarded by feed.mu

	mu    sync.Mutex
	tick  int64 // number of the period in which event was made; -1 if none was
	event []byte
	sum   uint64 // of event
}

func newFeed() *feed { return &feed{topics: make(map[string]*topic)} }

// join adds a client to a topic. It returns nil if there are too many clients.
func (f *feed) join(key string, limit int) *topic {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.clients >= limit {
		return nil
	}
	f.clients++
	t := f.topics[key]
	if t == nil {
		t = &topic{tick: -1}
		f.topics[key] = t
	}
	t.clients++
	return t
}

func (f *feed) leave(key string, t *topic) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clients--
	if t.clients--; t.clients == 0 {
		delete(f.topics, key)
	}
}

var errTooMany = &refusal{http.StatusServiceUnavailable, "too many pages have live updates already"}

// streamKey marks the feed's own requests.
type streamKey struct{}

func streamed(r *http.Request) bool { return r.Context().Value(streamKey{}) != nil }

// live serves live?of=PAGE&QUERY: an event stream with the contents of PAGE?QUERY, one event each second.
func (h *Handler) live(w http.ResponseWriter, r *http.Request) error {
	values := r.URL.Query()
	name := values.Get("of")
	p, known := pages[name]
	if !known {
		return errNoPage
	}
	values.Del("of")
	values.Del("format")
	key := name + "?" + values.Encode()
	// A request of the feed's own: the clients that share the page send different headers, and may outlive this request.
	asked := (&http.Request{Method: http.MethodGet, URL: &url.URL{RawQuery: values.Encode()}}).
		WithContext(context.WithValue(context.Background(), streamKey{}, true))
	t := h.feed.join(key, h.book.options.Clients)
	if t == nil {
		return errTooMany
	}
	defer h.feed.leave(key, t)
	h.watch()
	defer h.unwatch()
	h.sample()
	event, sum, err := h.event(t, p, asked)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	out := stream{w, http.NewResponseController(w), h.clock}
	defer out.limit() // the server ends the response with another write
	for {
		if out.send(event) != nil {
			return nil // the client has gone, or doesn't read
		}
		if more, _ := h.pause(r.Context(), nil); !more {
			return nil
		}
		h.sample()
		before := sum
		if event, sum, err = h.event(t, p, asked); err != nil {
			event = gone
		} else if sum == before {
			event = still
		}
	}
}

// sendLimit is how long a client may take to read an event. A client that takes longer is disconnected, because it would count for
// [Options.Clients] for ever.
const sendLimit = 10 * time.Second

type stream struct {
	http.ResponseWriter

	control *http.ResponseController
	clock   *tool.Host
}

// limit sets the write deadline to sendLimit from now on, if the ResponseWriter supports deadlines.
func (s stream) limit() {
	_ = s.control.SetWriteDeadline(s.clock.Time(s.clock.Now()).Add(sendLimit))
}

// send writes an event, with the deadline of limit. After that it removes the deadline, so that http.Server.WriteTimeout doesn't
// end the stream between events.
func (s stream) send(event []byte) error {
	s.limit()
	if _, err := s.Write(event); err != nil {
		return err
	}
	if err := s.control.Flush(); err != nil {
		return err
	}
	_ = s.control.SetWriteDeadline(time.Time{})
	return nil
}

// Events without a page: still if nothing has changed, gone if the page can't be made any more, for example because the run
// isn't kept.
var (
	still = []byte(": nothing new\n\n")
	gone  = []byte("event: gone\ndata: -\n\n")
)

var seed = maphash.MakeSeed()

// event returns the page of a topic as an event, and a hash of the page. It makes the page at most once in a period.
func (h *Handler) event(t *topic, p page, asked *http.Request) (event []byte, sum uint64, err error) {
	tick := int64(h.book.options.Clock() / period)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tick == tick {
		return t.event, t.sum, nil
	}
	view, err := p.view(h, asked)
	if err != nil {
		return nil, 0, err
	}
	body, err := h.render(p, h.frameOf(asked, p.template, view))
	if err != nil {
		return nil, 0, err
	}
	text, err := json.Marshal(string(body))
	if err != nil {
		return nil, 0, err
	}
	h.feed.mu.Lock()
	h.feed.made++
	h.feed.mu.Unlock()
	t.tick, t.event = tick, bytes.Join([][]byte{[]byte("data: "), text, []byte("\n\n")}, nil)
	t.sum = maphash.Bytes(seed, text)
	return t.event, t.sum, nil
}

func liveOf(r *http.Request, name string) string {
	values := r.URL.Query()
	values.Set("of", name)
	values.Del("format")
	return strings.TrimSuffix("live?"+values.Encode(), "?")
}
