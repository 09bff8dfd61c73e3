package bench

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/retry"
)

// answers is a transport without a network. It answers each n-th request with 200, and the others with 503.
type answers struct{ n, made int }

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.made++
	status := http.StatusServiceUnavailable
	if a.made%a.n == 0 {
		status = http.StatusOK
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader("42")), ContentLength: 2, Request: r,
	}, nil
}

// requests returns an operation that makes a GET, and reads and closes the body.
func requests(tb testing.TB, do func(r *http.Request) (*http.Response, error)) operation {
	tb.Helper()
	r, err := http.NewRequestWithContext(request, http.MethodGet, "http://shop.example/prices/teapot", nil)
	if err != nil {
		tb.Fatal(err)
	}
	return func() (int, error) {
		answer, err := do(r)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		return answer.StatusCode, err
	}
}

// requested: a GET of which the n-th attempt of up to three succeeds, without pauses and without a network.
//
// The floor asks in a loop. Each client was built once.
var requested = row{
	sizes: []int{1, 3},
	want:  func(int) int { return http.StatusOK },
	columns: []column{
		{name: "asyncsteps", build: func(tb testing.TB, n int) operation {
			client := &http.Client{Transport: httpx.NewTransport(&answers{n: n}, httpx.Policy{Retry: retry.Policy{Tries: 3}})}
			return requests(tb, client.Do)
		}},
		peer("floor", func(tb testing.TB, n int) operation {
			client := &http.Client{Transport: &answers{n: n}}
			ask := requests(tb, client.Do)
			return func() (status int, err error) {
				for range 3 {
					if status, err = ask(); err != nil || status == http.StatusOK {
						break
					}
				}
				return status, err
			}
		}),
		peer("failsafehttp", func(tb testing.TB, n int) operation {
			tries := failsafehttp.NewRetryPolicyBuilder().WithMaxAttempts(3).Build()
			client := &http.Client{Transport: failsafehttp.NewRoundTripper(&answers{n: n}, tries)}
			return requests(tb, client.Do)
		}),
		peer("retryablehttp", func(tb testing.TB, n int) operation {
			client := retryablehttp.NewClient()
			client.HTTPClient = &http.Client{Transport: &answers{n: n}}
			client.Logger = nil
			client.RetryMax, client.RetryWaitMin, client.RetryWaitMax = 2, 0, 0
			return requests(tb, client.StandardClient().Do)
		}),
	},
}

func BenchmarkHTTP(b *testing.B) { requested.bench(b) }
