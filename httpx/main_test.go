package httpx_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

func TestMain(m *testing.M) {
	httpx.Overlap(1) // parts are resumed at their last byte, unless a test says otherwise
	leaktest.Main(m)
}

const ms = time.Millisecond

// tripper is a base without a network.
type tripper func(r *http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type closed struct {
	io.Reader
	yes *bool
}

func (c closed) Close() error {
	*c.yes = true
	return nil
}

// answer makes an answer, and a flag that is set when its body is closed.
func answer(r *http.Request, status int, text string) (*http.Response, *bool) {
	yes := new(bool)
	return &http.Response{
		StatusCode: status, Header: http.Header{}, Body: closed{strings.NewReader(text), yes}, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}, yes
}

func get(t *testing.T, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func read(t *testing.T, r *http.Response) string {
	t.Helper()
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
