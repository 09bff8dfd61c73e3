package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// burst is a set of requests sent at once, to a gateway of its own whose limits are too low for them. The held backends answer
// when the requests without room have been answered, so the counts don't depend on timing.
type burst struct {
	name   string
	limits limits
	held   []string // names of the backends that hold their answers back
	early  kinds    // the answers while the backends hold theirs
	late   kinds    // the answers after that
}

// kinds counts answers by outcome.kind.
type kinds map[string]int

func (b burst) size() int { return sum(b.early) + sum(b.late) }

// replay makes the gateway and sends the burst. The problem is "" if the answers are as expected.
func (b burst) replay(ctx context.Context, known shop, log io.Writer, count func(outcome)) (problem string, err error) {
	local, release := hold(known.backends(), b.held)
	s, err := startSystem(setup{addr: "127.0.0.1:0", local: local, limits: b.limits}, log)
	if err != nil {
		return "", err
	}
	client := newClient(b.size())
	client.Timeout = answerLimit
	defer client.CloseIdleConnections()
	problem = b.send(ctx, client, s.url, release, count)
	return problem, s.shutdown()
}

// send sends the burst to the gateway at url. It calls release after the early answers, or when ctx ends. If the early answers
// don't all come, the limits of the held backends end the wait.
func (b burst) send(ctx context.Context, client *http.Client, url string, release func(), count func(outcome)) (problem string) {
	stop := context.AfterFunc(ctx, release)
	defer stop()
	same := slices.Repeat([]exchange{{Request: "GET /products/KB-1001"}}, b.size())
	early, late := make(kinds), make(kinds)
	for o := range send(ctx, client, url, same, len(same)) {
		count(o)
		if sum(early) < sum(b.early) {
			early[o.kind()]++
		} else {
			late[o.kind()]++
		}
		if sum(early) == sum(b.early) {
			release()
		}
	}
	if maps.Equal(early, b.early) && maps.Equal(late, b.late) {
		return ""
	}
	return fmt.Sprintf("burst %s\n  want %v, then %v\n  got  %v, then %v", b.name, b.early, b.late, early, late)
}

func hold(backends map[string]http.Handler, names []string) (held map[string]http.Handler, release func()) {
	held = maps.Clone(backends)
	released := make(chan struct{})
	for _, name := range names {
		held[name] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-released:
				backends[name].ServeHTTP(w, r)
			case <-r.Context().Done(): // the client has gone
			}
		})
	}
	return held, sync.OnceFunc(func() { close(released) })
}
