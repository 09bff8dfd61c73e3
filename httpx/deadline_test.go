package httpx_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestDeadline(t *testing.T) {
	for _, tt := range []struct {
		reason, header string
		most, want     time.Duration // want: 0 is no deadline
		status         int
	}{
		{"the header", "2500", time.Minute, 2500 * ms, 200},
		{"no more than allowed", "120000", time.Minute, time.Minute, 200},
		{"none", "", time.Minute, time.Minute, 200},
		{"no bound", "120000", 0, 2 * time.Minute, 200},
		{"neither", "", 0, 0, 200},
		{"a bound below zero is none", "", -1, 0, 200},
		{"longer than a Duration", "9223372036854775807", 0, 9223372036854 * ms, 200},
		{"no time left", "0", time.Minute, 0, 504},
		{"not a number", "soon", time.Minute, 0, 400},
		{"below zero", "-5", time.Minute, 0, 400},
		{"too large a number", "99999999999999999999", time.Minute, 0, 400},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				now := time.Now()
				var cause error
				h := httpx.Deadline("X-Left", tt.most, handle(func(_ http.ResponseWriter, r *http.Request) {
					until, ok := r.Context().Deadline()
					if ok != (tt.want > 0) || ok && until.Sub(now) != tt.want {
						t.Errorf("%v, %v", until.Sub(now), ok)
					}
					if ok && tt.want < time.Hour {
						<-r.Context().Done()
						cause = context.Cause(r.Context())
					}
				}))
				r := httptest.NewRequest(http.MethodGet, "/", nil)
				if tt.header != "" {
					r.Header.Set("X-Left", tt.header)
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != tt.status || cause != nil && fault.CodeOf(cause) != fault.Timeout {
					t.Errorf("%d, %v", w.Code, cause)
				}
			})
		})
	}
}

func TestPriority(t *testing.T) {
	for header, want := range map[string]int{
		"": 0, "u=3": 0, "u=0": 3, "u=7, i": -4, "i, u=1": 2, "u=5;x=1": -2, "u=8": 0, "u=-1": 0, "urgent": 0, "u=": 0, "u=1, u=2": 1,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if header != "" {
			r.Header.Set("Priority", header)
		}
		if got := httpx.Urgency(r); got != want {
			t.Errorf("%q: %d, want %d", header, got, want)
		}
		httpx.Priority(nil, handle(func(_ http.ResponseWriter, r *http.Request) {
			if got := syncx.PriorityOf(r.Context()); got != want {
				t.Errorf("%q: the context has %d, want %d", header, got, want)
			}
		})).ServeHTTP(httptest.NewRecorder(), r)
	}
	called := false
	httpx.Priority(func(*http.Request) int { return 7 }, handle(func(_ http.ResponseWriter, r *http.Request) {
		called = syncx.PriorityOf(r.Context()) == 7
	})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	if !called {
		t.Error("the priority isn't that of the function")
	}
}
