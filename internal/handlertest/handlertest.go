// Package handlertest lets tests call an http.Handler through an http.Client without a network.
package handlertest

import (
	"net/http"
	"net/http/httptest"
)

// Client returns a client whose requests h answers, whatever the host. h runs on the goroutine of the request, so that a whole
// exchange can be in the virtual time of testing/synctest. If the context of a request has ended when h returns, the request
// fails with the error of the context.
func Client(h http.Handler) *http.Client { return &http.Client{Transport: transport{h}} }

type transport struct{ handler http.Handler }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	t.handler.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	answer := w.Result()
	answer.Request = r // as http.Transport does
	return answer, nil
}
