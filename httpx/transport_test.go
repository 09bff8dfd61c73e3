package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/syncx"
)

// server answers with each status in turn, then with the last one, and notes the bodies of requests.
func server(t *testing.T, statuses ...int) (s *httptest.Server, bodies func() []string) {
	t.Helper()
	var mu sync.Mutex
	var got []string
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		mu.Lock()
		n := len(got)
		got = append(got, string(text))
		mu.Unlock()
		w.WriteHeader(statuses[min(n, len(statuses)-1)])
		fmt.Fprintf(w, "answer %d", n+1)
	}))
	t.Cleanup(s.Close)
	return s, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

func TestTransportRepeats(t *testing.T) {
	for _, tt := range []struct {
		reason   string
		policy   httpx.Policy
		method   string
		body     io.Reader
		key      string
		statuses []int
		want     int    // status
		text     string // of the answer
		bodies   string // of the requests
	}{
		{"a success", httpx.Policy{}, "GET", nil, "", []int{200}, 200, "answer 1", `[""]`},
		{"a failure, then a success", httpx.Policy{}, "GET", nil, "", []int{503, 200}, 200, "answer 2", `["" ""]`},
		{"the answer of the last attempt", httpx.Policy{}, "GET", nil, "", []int{503}, 503, "answer 3", `["" "" ""]`},
		{"too many requests", httpx.Policy{}, "GET", nil, "", []int{429, 200}, 200, "answer 2", `["" ""]`},
		{"a status that is no failure", httpx.Policy{}, "GET", nil, "", []int{404, 200}, 404, "answer 1", `[""]`},
		{"501 would come again", httpx.Policy{}, "GET", nil, "", []int{501, 200}, 501, "answer 1", `[""]`},
		{"PUT sends its body again", httpx.Policy{}, "PUT", strings.NewReader("in"), "", []int{500, 502, 200}, 200, "answer 3", `["in" "in" "in"]`},
		{"POST isn't repeated", httpx.Policy{}, "POST", strings.NewReader("in"), "", []int{503, 200}, 503, "answer 1", `["in"]`},
		{"POST with a key is", httpx.Policy{}, "POST", strings.NewReader("in"), "k", []int{503, 200}, 200, "answer 2", `["in" "in"]`},
		{
			"POST where the policy says so", httpx.Policy{Repeatable: func(*http.Request) bool { return true }},
			"POST", strings.NewReader("in"), "", []int{503, 200}, 200, "answer 2", `["in" "in"]`,
		},
		{"a body that can't be read again", httpx.Policy{}, "PUT", io.MultiReader(strings.NewReader("in")), "", []int{503, 200}, 503, "answer 1", `["in"]`},
		{"one attempt", httpx.Policy{Retry: retry.Policy{Tries: 1}}, "GET", nil, "", []int{503, 200}, 503, "answer 1", `[""]`},
		{
			"another idea of a failure", httpx.Policy{Failure: func(r *http.Response) bool { return r.StatusCode == 404 }},
			"GET", nil, "", []int{404, 503}, 503, "answer 2", `["" ""]`,
		},
		{
			"retry.Policy.If narrows", httpx.Policy{Retry: retry.Policy{If: func(err error) bool {
				status, ok := errors.AsType[*httpx.StatusError](err)
				return ok && status.Status != 500
			}}},
			"GET", nil, "", []int{503, 500, 200}, 500, "answer 2", `["" ""]`,
		},
		{
			"retry.Policy.If doesn't widen", httpx.Policy{Retry: retry.Policy{If: func(error) bool { return true }}},
			"POST", nil, "", []int{503, 200}, 503, "answer 1", `[""]`,
		},
		{
			"retry.Policy.Codes narrow", httpx.Policy{Retry: retry.Policy{Codes: []fault.Code{fault.Timeout}}},
			"GET", nil, "", []int{503, 200}, 503, "answer 1", `[""]`,
		},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			s, bodies := server(t, tt.statuses...)
			transport := httpx.NewTransport(nil, tt.policy)
			r, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL, tt.body)
			if err != nil {
				t.Fatal(err)
			}
			if tt.key != "" {
				r.Header.Set("Idempotency-Key", tt.key)
			}
			answer, err := (&http.Client{Transport: transport}).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if text := read(t, answer); answer.StatusCode != tt.want || text != tt.text {
				t.Errorf("%d %q, want %d %q", answer.StatusCode, text, tt.want, tt.text)
			}
			if got := fmt.Sprintf("%q", bodies()); got != tt.bodies {
				t.Errorf("the server got %s, want %s", got, tt.bodies)
			}
			if answer.Request != r {
				t.Error("the answer is of another request")
			}
		})
	}
}

func TestTransportRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		reason string
		header string
		policy httpx.Policy
		limit  time.Duration // of the request's context; 0 is none
		tries  int
		took   time.Duration
	}{
		{"seconds", "3", httpx.Policy{}, 0, 3, 6 * time.Second},
		{"a date", "Tue, 01 Sep 2026 10:00:05 GMT", httpx.Policy{}, 0, 3, 10 * time.Second},
		{"a date that has passed", "Tue, 01 Sep 2026 09:00:00 GMT", httpx.Policy{}, 0, 3, 0},
		{"none: the pause of the policy", "", httpx.Policy{Retry: retry.Policy{Pause: time.Second}}, 0, 3, 2 * time.Second},
		{"malformed", "soon", httpx.Policy{Retry: retry.Policy{Pause: time.Second}}, 0, 3, 2 * time.Second},
		{"too long", "61", httpx.Policy{}, 0, 1, 0},
		{"longer than a Duration", "9999999999", httpx.Policy{}, 0, 1, 0},
		{"longer than any number", strings.Repeat("9", 30), httpx.Policy{}, 0, 1, 0},
		{"as long as allowed", "60", httpx.Policy{}, 0, 3, 2 * time.Minute},
		{"any length", "3600", httpx.Policy{Retry: retry.Policy{MaxRetryAfter: -1}}, 0, 3, 2 * time.Hour},
		{"beyond the deadline", "3", httpx.Policy{}, 4 * time.Second, 2, 3 * time.Second},
		{
			"the policy's own pause", "3", httpx.Policy{Retry: retry.Policy{PauseAfter: func(int, error) time.Duration { return time.Second }}},
			0, 3, 2 * time.Second,
		},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				var bodies []*bool
				base := tripper(func(r *http.Request) (*http.Response, error) {
					tries++
					a, closed := answer(r, 503, "busy")
					a.Header.Set("Date", "Tue, 01 Sep 2026 10:00:00 GMT")
					if tt.header != "" {
						a.Header.Set("Retry-After", tt.header)
					}
					bodies = append(bodies, closed)
					return a, nil
				})
				r := get(t, "http://shop/")
				if tt.limit > 0 {
					ctx, cancel := context.WithTimeout(t.Context(), tt.limit)
					defer cancel()
					r = r.WithContext(ctx)
				}
				begun := time.Now()
				a, err := httpx.NewTransport(base, tt.policy).RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				if text := read(t, a); a.StatusCode != 503 || text != "busy" {
					t.Errorf("%d %q", a.StatusCode, text)
				}
				if took := time.Since(begun); tries != tt.tries || took != tt.took {
					t.Errorf("%d attempts in %v, want %d in %v", tries, took, tt.tries, tt.took)
				}
				for i, closed := range bodies {
					if !*closed {
						t.Errorf("the body of answer %d isn't closed", i+1)
					}
				}
			})
		})
	}
}

func TestTransportLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		base := tripper(func(r *http.Request) (*http.Response, error) {
			if tries++; tries < 3 {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			a, _ := answer(r, 200, "in time")
			return a, nil
		})
		transport := httpx.NewTransport(base, httpx.Policy{Limit: time.Second})
		a, err := transport.RoundTrip(get(t, "http://shop/"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // the limit is that of the header, not of the body
		if text := read(t, a); text != "in time" || tries != 3 {
			t.Errorf("%q after %d attempts", text, tries)
		}
		tries = -10
		_, err = (&http.Client{Transport: transport}).Do(get(t, "http://shop/"))
		late, ok := errors.AsType[*url.Error](err)
		if !ok || !late.Timeout() || !errors.Is(err, fault.Timeout) || tries != -7 {
			t.Errorf("%v after %d attempts", err, tries+10)
		}
	})
}

// http.Client allows an answer without a body as well.
func TestTransportWithoutBody(t *testing.T) {
	for _, status := range []int{204, 503} {
		n := 0
		base := tripper(func(r *http.Request) (*http.Response, error) {
			n++
			a, _ := answer(r, status, "")
			a.Body = nil
			return a, nil
		})
		a, err := (&http.Client{Transport: httpx.NewTransport(base, httpx.Policy{})}).Do(get(t, "http://shop/"))
		if err != nil {
			t.Fatal(err)
		}
		if text := read(t, a); a.StatusCode != status || text != "" || (n > 1) != (status == 503) {
			t.Errorf("%d %q after %d attempts", a.StatusCode, text, n)
		}
	}
}

func TestTransportDeadlineHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		base := tripper(func(r *http.Request) (*http.Response, error) {
			got = append(got, r.Header.Get("X-Left"))
			time.Sleep(time.Second)
			a, _ := answer(r, 503, "")
			return a, nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		r := get(t, "http://shop/").WithContext(ctx)
		transport := httpx.NewTransport(base, httpx.Policy{DeadlineHeader: "X-Left", Limit: 2500 * ms})
		if _, err := transport.RoundTrip(r); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != "[2500 2500 2000]" || r.Header.Get("X-Left") != "" {
			t.Errorf("sent %v, and the request has %q", got, r.Header.Get("X-Left"))
		}
		if _, err := transport.RoundTrip(get(t, "http://shop/")); err != nil || got[3] != "2500" {
			t.Errorf("%v, sent %v", err, got)
		}
	})
}

func TestTransportPerHost(t *testing.T) {
	var hosts []string
	breaker := func(host string) syncx.Guard {
		hosts = append(hosts, host)
		return syncx.NewBreaker(syncx.BreakerPolicy{Name: host, Failures: 2})
	}
	sent := 0
	base := tripper(func(r *http.Request) (*http.Response, error) {
		sent++
		status := 200
		if r.URL.Host == "down" {
			status = 503
		}
		a, _ := answer(r, status, "")
		return a, nil
	})
	transport := httpx.NewTransport(base, httpx.Policy{PerHost: []func(string) syncx.Guard{breaker}})
	body := new(bool)
	r := get(t, "http://down/")
	r.Body = closed{strings.NewReader(""), body}
	r.GetBody = func() (io.ReadCloser, error) { return http.NoBody, nil }
	_, err := transport.RoundTrip(r)
	if !errors.Is(err, syncx.CircuitOpen) || sent != 2 {
		t.Errorf("%v after %d requests: two failures open the breaker, and its refusal isn't tried again", err, sent)
	}
	*body = false
	_, err = transport.RoundTrip(r)
	if fault.CodeOf(err) != syncx.CircuitOpen || sent != 2 || !*body {
		t.Errorf("%v after %d requests; the body is closed: %v", err, sent, *body)
	}
	if a, err := transport.RoundTrip(get(t, "http://up/")); err != nil || a.StatusCode != 200 {
		t.Errorf("another host: %v", err)
	}
	if fmt.Sprint(hosts) != "[down up]" {
		t.Errorf("guards of %v", hosts)
	}
}

func TestTransportPolicyPanics(t *testing.T) {
	closed := new(bool)
	base := tripper(func(r *http.Request) (*http.Response, error) {
		a, c := answer(r, 200, "")
		closed = c
		return a, nil
	})
	for _, p := range []httpx.Policy{
		{Failure: func(*http.Response) bool { panic("mistake") }},
		{Repeatable: func(*http.Request) bool { panic("mistake") }},
		{PerHost: []func(string) syncx.Guard{func(string) syncx.Guard { panic("mistake") }}},
	} {
		*closed = true
		_, err := httpx.NewTransport(base, p).RoundTrip(get(t, "http://shop/"))
		if _, ok := fault.AsType[*fault.Panic](err); !ok || fault.CodeOf(err) != fault.InternalError || !*closed {
			t.Errorf("%v; the body is closed: %v", err, *closed)
		}
	}
}

func TestTransportErr(t *testing.T) {
	for _, tt := range []struct {
		reason string
		policy httpx.Policy
		ok     bool
	}{
		{"the zero policy", httpx.Policy{}, true},
		{"a limit below zero", httpx.Policy{Limit: -1}, false},
		{"a hedge below zero", httpx.Policy{Hedge: -1}, false},
		{"hedges below zero", httpx.Policy{Hedge: 1, Hedges: -1}, false},
		{"too many hedges", httpx.Policy{Hedge: 1, Hedges: math.MaxInt}, false},
		{"many hedges", httpx.Policy{Hedge: 1, Hedges: 100}, true},
		{"a guard that is nil", httpx.Policy{PerHost: []func(string) syncx.Guard{nil}}, false},
		{"a retry that isn't well formed", httpx.Policy{Retry: retry.Policy{Jitter: 2}}, false},
	} {
		base := tripper(func(r *http.Request) (*http.Response, error) {
			a, _ := answer(r, 200, "")
			return a, nil
		})
		transport := httpx.NewTransport(base, tt.policy)
		body := new(bool)
		r := get(t, "http://shop/")
		r.Body = closed{strings.NewReader(""), body}
		a, err := transport.RoundTrip(r)
		if (transport.Err() == nil) != tt.ok || (err == nil) != tt.ok || !tt.ok && (a != nil || !*body) {
			t.Errorf("%s: Err is %v, RoundTrip fails with %v; the body is closed: %v", tt.reason, transport.Err(), err, *body)
		}
	}
}
