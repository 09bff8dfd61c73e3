package httpx_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

var readings = flow.NewOutput[float64]("readings")

// gives hands out the values and ends with err.
func gives(err error, values ...float64) step.Step[order, receipt] {
	return step.Await(func(ctx context.Context, o order) (receipt, error) {
		for _, v := range values {
			if err := readings.Send(ctx, v); err != nil {
				return receipt{}, err
			}
		}
		return receipt{o.Item}, err
	})
}

func serve(t *testing.T, h http.Handler, version int) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = version == 2
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func stream(ctx context.Context, t *testing.T, s *httptest.Server, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Body.Close() })
	return a
}

func TestEvents(t *testing.T) {
	notFound := httpx.WithStatus(http.StatusNotFound, fault.New("NoItem", "no unicorn here"))
	unstable := step.New(func(as step.Scope, o order) step.Next[receipt] {
		if as.Attempt() < 3 {
			return step.Into(as, gives(errors.New("broken off"), 1), o)
		}
		return step.Into(as, gives(nil, 1, 2), o)
	})
	once := step.New(func(as step.Scope, o order) step.Next[receipt] {
		if as.Attempt() == 1 {
			return step.Into(as, gives(errors.New("broken off"), 1, 2), o)
		}
		return step.Into(as, gives(nil, 3), o)
	})
	outer := step.New(func(as step.Scope, o order) step.Next[receipt] {
		if as.Attempt() == 1 {
			return step.Fail[receipt](errors.New("broken off"))
		}
		return step.Into(as, gives(nil, 9), o)
	})
	for _, tt := range []struct {
		reason string
		s      step.Step[order, receipt]
		status int
		want   string
	}{
		{"values and a result", gives(nil, 1, 2.5), 200, "data: 1\n\ndata: 2.5\n\nevent: result\ndata: {\"text\":\"teapot\"}\n\n"},
		{"no values", gives(nil), 200, "event: result\ndata: {\"text\":\"teapot\"}\n\n"},
		{"an error before a value", gives(notFound), 404, "{\"title\":\"Not Found\",\"status\":404,\"detail\":\"no unicorn here\"}\n"},
		{"an error after a value", gives(notFound, 1), 200, "data: 1\n\nevent: error\ndata: {\"title\":\"Not Found\",\"status\":404,\"detail\":\"no unicorn here\"}\n\n"},
		{
			"attempts", retry.Of(retry.Policy{Tries: 3}, unstable), 200,
			"data: 1\n\nevent: again\ndata: {\"from\":0,\"to\":1}\n\ndata: 1\n\nevent: again\ndata: {\"from\":1,\"to\":2}\n\ndata: 1\n\ndata: 2\n\nevent: result\ndata: {\"text\":\"teapot\"}\n\n",
		},
		{
			"attempts of two steps", retry.Of(retry.Policy{}, flow.Then(flow.Tap(gives(nil, 0)), once)), 200,
			"data: 0\n\ndata: 1\n\ndata: 2\n\nevent: again\ndata: {\"from\":0,\"to\":3}\n\ndata: 0\n\ndata: 3\n\nevent: result\ndata: {\"text\":\"teapot\"}\n\n",
		},
		{
			"retries in a retry", retry.Of(retry.Policy{}, flow.Then(flow.Chain(flow.Tap(gives(nil, 0)), flow.Tap(retry.Of(retry.Policy{}, once)), flow.Tap(retry.Of(retry.Policy{}, once))), outer)), 200,
			"data: 0\n\ndata: 1\n\ndata: 2\n\nevent: again\ndata: {\"from\":1,\"to\":3}\n\ndata: 3\n\ndata: 1\n\ndata: 2\n\nevent: again\ndata: {\"from\":4,\"to\":6}\n\ndata: 3\n\nevent: again\ndata: {\"from\":0,\"to\":1}\n\nevent: again\ndata: {\"from\":3,\"to\":4}\n\nevent: again\ndata: {\"from\":6,\"to\":7}\n\ndata: 0\n\ndata: 1\n\ndata: 2\n\nevent: again\ndata: {\"from\":8,\"to\":10}\n\ndata: 3\n\ndata: 1\n\ndata: 2\n\nevent: again\ndata: {\"from\":11,\"to\":13}\n\ndata: 3\n\ndata: 9\n\nevent: result\ndata: {\"text\":\"teapot\"}\n\n",
		},
		{
			"two retries", flow.Then(flow.Tap(retry.Of(retry.Policy{}, once)), retry.Of(retry.Policy{}, once)), 200,
			"data: 1\n\ndata: 2\n\nevent: again\ndata: {\"from\":0,\"to\":2}\n\ndata: 3\n\ndata: 1\n\ndata: 2\n\nevent: again\ndata: {\"from\":3,\"to\":5}\n\ndata: 3\n\nevent: result\ndata: {\"text\":\"teapot\"}\n\n",
		},
		{
			"values before attempts", flow.Then(flow.Tap(gives(nil, 5)), retry.Of(retry.Policy{}, unstable)), 200,
			"data: 5\n\ndata: 1\n\nevent: again\ndata: {\"from\":1,\"to\":2}\n\ndata: 1\n\nevent: again\ndata: {\"from\":2,\"to\":3}\n\ndata: 1\n\ndata: 2\n\nevent: result\ndata: {\"text\":\"teapot\"}\n\n",
		},
		{"a value that isn't JSON", gives(nil, math.NaN()), 500, "{\"title\":\"Internal Server Error\",\"status\":500}\n"},
		{"a later value that isn't JSON", gives(nil, 1, math.NaN(), 2), 200, "data: 1\n\nevent: error\ndata: {\"title\":\"Internal Server Error\",\"status\":500}\n\n"},
		{"a panic", step.Func(func(step.Scope, order) (receipt, error) { panic("a defect") }), 500, "{\"title\":\"Internal Server Error\",\"status\":500}\n"},
	} {
		for _, version := range []int{1, 2} {
			s := serve(t, httpx.Sync(syncx.NewMutex(1, 0), httpx.Events(readings, tt.s, httpx.ReadRequest[order](100))), version)
			a := stream(t.Context(), t, s, `{"item":"teapot"}`)
			if text := read(t, a); a.StatusCode != tt.status || a.ProtoMajor != version || text != tt.want {
				t.Errorf("HTTP/%d, %s: %d %q, want %d %q", a.ProtoMajor, tt.reason, a.StatusCode, text, tt.status, tt.want)
			}
			if kind, events := a.Header.Get("Content-Type"), strings.HasSuffix(tt.want, "\n\n"); (kind == "text/event-stream") != events {
				t.Errorf("HTTP/%d, %s: %s", version, tt.reason, kind)
			}
		}
	}
}

// A client gets a value before the next one is made.
func TestEventsAreFlushed(t *testing.T) {
	for _, version := range []int{1, 2} {
		next := make(chan float64)
		s := serve(t, httpx.Events(readings, step.Await(func(ctx context.Context, o order) (receipt, error) {
			for v := range next {
				if err := readings.Send(ctx, v); err != nil {
					return receipt{}, err
				}
			}
			return receipt{}, nil
		}), httpx.ReadRequest[order](100)), version)
		go func() { next <- 0 }()
		a := stream(t.Context(), t, s, "{}")
		var got []string
		for event, err := range httpx.ReadEvents(a) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, event.Type+" "+event.Data)
			switch len(got) {
			case 1, 2:
				next <- float64(len(got))
			case 3:
				close(next)
			}
		}
		if text := strings.Join(got, ", "); text != `message 0, message 1, message 2, result {"text":""}` {
			t.Errorf("HTTP/%d: %s", version, text)
		}
	}
}

// If the client goes away the run is cancelled, and the handler returns when the run has ended.
func TestEventsClientGoesAway(t *testing.T) {
	for _, version := range []int{1, 2} {
		ended := make(chan error, 1)
		h := httpx.Events(readings, step.Await(func(ctx context.Context, o order) (receipt, error) {
			var err error
			for v := 0.0; err == nil; v++ {
				err = readings.Send(ctx, v)
			}
			ended <- err
			return receipt{}, err
		}), httpx.ReadRequest[order](100))
		returned := make(chan bool, 1)
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r)
			returned <- len(ended) == 1
		}), version)
		ctx, cancel := context.WithCancel(t.Context())
		a := stream(ctx, t, s, "{}")
		for _, err := range httpx.ReadEvents(a) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		cancel()
		if !<-returned {
			t.Errorf("HTTP/%d: the handler has returned before its run has ended", version)
		}
		if err := <-ended; !errors.Is(err, fault.Cancelled) && !errors.Is(err, context.Canceled) {
			t.Errorf("HTTP/%d: %v", version, err)
		}
	}
}

// stuckWriter is a ResponseWriter whose client doesn't read the second value: the write of it ends when the deadline is set to
// the past.
type stuckWriter struct {
	http.ResponseWriter

	stuck func() // called when a write is stuck
	past  chan struct{}
}

func (w stuckWriter) Write(p []byte) (int, error) {
	if !bytes.Contains(p, []byte("data: 2")) {
		return w.ResponseWriter.Write(p)
	}
	w.stuck()
	<-w.past
	return 0, context.DeadlineExceeded
}

func (w stuckWriter) SetWriteDeadline(at time.Time) error {
	if at.IsZero() || at.Year() > 2000 {
		return errors.New("not in the past")
	}
	close(w.past)
	return nil
}

func (w stuckWriter) Flush() {}

// The handler doesn't outlast the request's context.
func TestEventsOfSlowClient(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	made := 0.0
	h := httpx.Events(readings, step.Await(func(ctx context.Context, _ order) (out receipt, err error) {
		for err == nil {
			made++
			err = readings.Send(ctx, made)
		}
		return out, err
	}), httpx.ReadRequest[order](100))
	w := stuckWriter{httptest.NewRecorder(), func() {
		if made != 2 {
			t.Errorf("%v values were made while the second one is written", made)
		}
		cancel()
	}, make(chan struct{})}
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader("{}")))
	if made < 2 {
		t.Errorf("%v values were made", made)
	}
}

// stalledWriter is a ResponseWriter whose client reads the first event alone.
type stalledWriter struct {
	*httptest.ResponseRecorder

	cut chan struct{}
}

func (w stalledWriter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("data: 1")) {
		return w.ResponseRecorder.Write(p)
	}
	<-w.cut
	return 0, context.DeadlineExceeded
}

func (w stalledWriter) SetWriteDeadline(time.Time) error {
	close(w.cut)
	return nil
}

// The last event, which is sent after the end of the request's context, doesn't keep the handler for ever either.
func TestEventsLastOneIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		h := httpx.Events(readings, step.Await(func(ctx context.Context, _ order) (out receipt, err error) {
			if err = readings.Send(ctx, 1); err == nil {
				<-ctx.Done()
				err = ctx.Err()
			}
			return out, err
		}), httpx.ReadRequest[order](100))
		begun := time.Now()
		h.ServeHTTP(stalledWriter{httptest.NewRecorder(), make(chan struct{})}, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader("{}")))
		if took := time.Since(begun); took != 65*time.Second {
			t.Errorf("the handler took %v", took)
		}
	})
}

func TestEventsUnderDeadline(t *testing.T) {
	for _, version := range []int{1, 2} {
		s := serve(t, httpx.Deadline("", 200*ms, httpx.Events(readings, step.Await(func(ctx context.Context, _ order) (out receipt, err error) {
			if err = readings.Send(ctx, 1); err == nil {
				<-ctx.Done()
				err = ctx.Err()
			}
			return out, err
		}), httpx.ReadRequest[order](100))), version)
		want := "data: 1\n\nevent: error\ndata: {\"title\":\"Gateway Timeout\",\"status\":504}\n\n"
		if text := read(t, stream(t.Context(), t, s, "{}")); text != want {
			t.Errorf("HTTP/%d: %q", version, text)
		}
	}
}

// unflushed is a ResponseWriter of a middleware that hides how to flush.
type unflushed struct{ http.ResponseWriter }

func TestEventsNeedAFlush(t *testing.T) {
	w := httptest.NewRecorder()
	h := httpx.Events(readings, gives(nil, 1, 2, 3), httpx.ReadRequest[order](100))
	h.ServeHTTP(unflushed{w}, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}")))
	if want := "data: 1\n\nevent: error\ndata: {\"title\":\"Bad Gateway\",\"status\":502}\n\n"; w.Body.String() != want {
		t.Errorf("%q", w.Body)
	}
}

func TestEventsNotWellFormed(t *testing.T) {
	decode := httpx.ReadRequest[order](100)
	for reason, tt := range map[string]struct {
		h      http.Handler
		body   string
		status int
	}{
		"a nil stage":  {httpx.Events[float64, order, receipt](readings, nil, decode), "{}", 500},
		"a bad plan":   {httpx.Events(readings, plantest.Refused[order, receipt](), decode), "{}", 500},
		"a nil decode": {httpx.Events(readings, gives(nil, 1), nil), "{}", 500},
		"a bad body":   {httpx.Events(readings, gives(nil, 1), decode), "teapot", 400},
		"no output":    {httpx.Events(flow.Output[float64]{}, gives(nil, 1), decode), "{}", 200},
	} {
		if status, _, text := ask(t, tt.h, tt.body); status != tt.status || strings.Contains(text, "data: 1") {
			t.Errorf("%s: %d %s", reason, status, text)
		}
	}
}
