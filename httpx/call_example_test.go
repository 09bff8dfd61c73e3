package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/step"
)

// The step sends a header, and reads an answer that isn't JSON.
func ExampleCall() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", r.Header.Get("If-None-Match"))
		w.WriteHeader(http.StatusNotModified)
	}))
	defer server.Close()
	changed := httpx.Call(server.Client(),
		func(ctx context.Context, tag string) (*http.Request, error) {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
			if err == nil {
				r.Header.Set("If-None-Match", tag)
			}
			return r, err
		},
		func(r *http.Response) (bool, error) {
			if r.StatusCode == http.StatusNotModified {
				return false, nil
			}
			return true, httpx.CheckStatus(r)
		})
	fmt.Println(flow.Run(context.Background(), changed, "v7"))
	// Output: false <nil>
}

// The request has a key that makes it harmless to repeat.
func ExampleNewJSONRequest() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(r.Method, r.Header.Get("Idempotency-Key"), string(body))
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	change := httpx.Call(server.Client(),
		func(ctx context.Context, p Price) (*http.Request, error) {
			r, err := httpx.NewJSONRequest(ctx, http.MethodPut, server.URL, p)
			if err == nil {
				r.Header.Set("Idempotency-Key", p.Item)
			}
			return r, err
		},
		httpx.ReadJSON[Price])
	_, err := flow.Run(context.Background(), change, Price{"teapot", 4200})
	fmt.Println(err)
	// Output:
	// PUT teapot {"Item":"teapot","Cent":4200}
	// <nil>
}

func ExampleCheckStatus() {
	r, _ := http.NewRequest(http.MethodGet, "http://shop.example/prices?key=secret", nil)
	w := httptest.NewRecorder()
	w.WriteHeader(http.StatusForbidden)
	answer := w.Result()
	answer.Request = r
	fmt.Println(httpx.CheckStatus(answer))
	// Output: GET http://shop.example/prices: 403 Forbidden
}

// A subscriber is told of an event. What it answers doesn't matter, if it has taken it.
func ExampleReadStatus() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, "thanks")
	}))
	defer server.Close()
	tell := httpx.Call(server.Client(), func(ctx context.Context, p Price) (*http.Request, error) {
		return httpx.NewJSONRequest(ctx, http.MethodPost, server.URL, p)
	}, httpx.ReadStatus)
	_, err := flow.Run(context.Background(), tell, Price{"teapot", 4200})
	fmt.Println(err)
	// Output: <nil>
}

func ExampleReadJSON() {
	w := httptest.NewRecorder()
	fmt.Fprint(w, `{"Item":"teapot","Cent":4200}`)
	fmt.Println(httpx.ReadJSON[Price](w.Result()))
	// Output: {teapot 4200} <nil>
}

// The plan calls a service twice: it gets a price, and then orders at that price.
func ExampleGetJSON() {
	server := shop()
	defer server.Close()
	client := server.Client()

	url := step.Map(func(item string) string { return server.URL + "/prices/" + item })
	price := flow.Then(url, httpx.GetJSON[Price](client))
	order := flow.Then(price, httpx.PostJSON[Price, string](client, server.URL+"/orders"))
	fmt.Println(flow.Run(context.Background(), order, "teapot"))
	// Output: order 1 <nil>
}

func ExamplePostJSON() {
	server := shop()
	defer server.Close()
	order := httpx.PostJSON[Price, string](server.Client(), server.URL+"/nowhere")
	_, err := flow.Run(context.Background(), order, Price{"teapot", 4200})
	status, ok := errors.AsType[*httpx.StatusError](err)
	fmt.Println(ok && status.Status == http.StatusNotFound)
	// Output: true
}

// The step counts the words of a service, and hands them on as they come.
func ExampleCallEvents() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: hello\n\ndata: Ada\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()

	words := flow.NewOutput[string]("words")
	request := func(ctx context.Context, name string) (*http.Request, error) {
		return httpx.NewJSONRequest(ctx, http.MethodPost, server.URL, name)
	}
	take := func(ctx context.Context, n *int, event httpx.Event) (last bool, err error) {
		if event.Data == "[DONE]" {
			return true, nil
		}
		*n++
		return false, words.Send(ctx, event.Data)
	}
	run := flow.RunOutput(context.Background(), words, httpx.CallEvents(server.Client(), request, take), "Ada")
	for word := range run.All() {
		fmt.Println(word)
	}
	fmt.Println(run.Result())
	// Output:
	// hello
	// Ada
	// 2 <nil>
}

// A step that has found nothing gives a default, and fails in any other case.
func ExampleAnswered() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	price := flow.Catch(httpx.GetJSON[int](server.Client()), func(_ step.Scope, err error) step.Next[int] {
		if httpx.Answered(err, http.StatusNotFound, http.StatusGone) {
			return step.Succeed(0)
		}
		return step.Unwind[int]()
	})
	fmt.Println(flow.Run(context.Background(), price, server.URL))
	// Output: 0 <nil>
}
