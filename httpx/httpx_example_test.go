package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// The client tries again, sends a slow request once more, and calls no host that is down.
func ExampleNewTransport() {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests++; requests < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, "at the third request")
	}))
	defer server.Close()

	transport := httpx.NewTransport(nil, httpx.Policy{
		Retry: retry.Policy{Tries: 4, Pause: time.Millisecond, Factor: 2, Jitter: 1},
		Limit: 2 * time.Second,
		Hedge: time.Second,
		PerHost: []func(string) syncx.Guard{
			func(host string) syncx.Guard { return syncx.NewBreaker(syncx.BreakerPolicy{Name: host}) },
			func(string) syncx.Guard { return syncx.NewMutex(100, 1000) },
		},
	})
	if err := transport.Err(); err != nil { // the policy is wrong: no request could be sent
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: transport}
	defer client.CloseIdleConnections() // calls transport.CloseIdleConnections
	answer, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	fmt.Println(answer.StatusCode, string(text))
	// Output: 200 at the third request
}

// A Transport sends requests by a plan, which can be drawn.
func ExampleTransport_Tree() {
	for part := range httpx.NewTransport(nil, httpx.Policy{Limit: time.Second}).Tree().All() {
		if part.Role == flow.RoleStep {
			fmt.Println(part.Path, part.Kind)
		}
	}
	// Output:
	// 0 retry
	// 0/0 attempt
	// 0/0/0 timeout
	// 0/0/0/0 await
}

// A Transport can send a request without an http.Client.
func ExampleTransport_RoundTrip() {
	transport := httpx.NewTransport(offline{}, httpx.Policy{})
	_, err := transport.RoundTrip(httptest.NewRequest(http.MethodGet, "http://shop.example/", nil))
	fmt.Println(fault.CodeOf(err))
	transport.CloseIdleConnections()
	// Output: CommError
}

type offline struct{}

func (offline) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no network")
}

func ExampleIdempotent() {
	r, _ := http.NewRequest(http.MethodPost, "http://shop.example/orders", nil)
	fmt.Println(httpx.Idempotent(r))
	r.Header.Set("Idempotency-Key", "order-4711")
	fmt.Println(httpx.Idempotent(r))
	// Output:
	// false
	// true
}

func ExampleRetryAfter() {
	fmt.Println(httpx.RetryAfter(http.Header{"Retry-After": {"120"}}))
	fmt.Println(httpx.RetryAfter(http.Header{
		"Date":        {"Tue, 01 Sep 2026 10:00:00 GMT"},
		"Retry-After": {"Tue, 01 Sep 2026 10:00:30 GMT"},
	}))
	fmt.Println(httpx.RetryAfter(http.Header{}))
	// Output:
	// 2m0s true
	// 30s true
	// 0s false
}

type Price struct {
	Item string
	Cent int
}

func shop() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /prices/{item}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"Item":%q,"Cent":4200}`, r.PathValue("item"))
	})
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `"order 1"`) })
	return httptest.NewServer(mux)
}

// The service reads its input, works, and answers with the result, or with an error that has a status of its own.
func ExampleHandler() {
	price := step.Func(func(_ step.Scope, in Price) (Price, error) {
		if in.Item == "unicorn" {
			return in, httpx.WithStatus(http.StatusNotFound, fault.New("NoItem", "no unicorn here"))
		}
		in.Cent = 4200
		return in, nil
	})
	h := httpx.Handler(price, httpx.ReadRequest[Price](1<<20), httpx.WriteJSON[Price])
	fmt.Print(post(h, `{"Item":"teapot"}`), post(h, `{"Item":"unicorn"}`), post(h, `teapot!`))
	// Output:
	// 200 {"Item":"teapot","Cent":4200}
	// 404 {"title":"Not Found","status":404,"detail":"no unicorn here"}
	// 400 {"title":"Bad Request","status":400,"detail":"the body is not the JSON that is expected: invalid character 'e' in literal true (expecting 'r')"}
}

func post(h http.Handler, body string) string {
	server := httptest.NewServer(h)
	defer server.Close()
	answer, err := server.Client().Post(server.URL, "application/json", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return fmt.Sprint(answer.StatusCode, " ", string(text))
}

// The service answers word by word, and its client reads the words as they come.
func ExampleEvents() {
	words := flow.NewOutput[string]("words")
	talk := step.Await(func(ctx context.Context, name string) (int, error) {
		for _, word := range []string{"hello", name} {
			if err := words.Send(ctx, word); err != nil {
				return 0, err
			}
		}
		return 2, nil
	})
	server := httptest.NewServer(httpx.Events(words, talk, httpx.ReadRequest[string](100)))
	defer server.Close()

	answer, err := server.Client().Post(server.URL, "application/json", strings.NewReader(`"Ada"`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	var last httpx.Event
	for event, err := range httpx.ReadEvents(answer) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(event.Type, event.Data)
		last = event
	}
	fmt.Println(last.Type == httpx.EventResult)
	// Output:
	// message "hello"
	// message "Ada"
	// result 2
	// true
}

// The step hands on the words of another service as they come.
func ExampleReadEvents() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: hello\n\ndata: Ada\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()

	words := flow.NewOutput[string]("words")
	talk := httpx.Call(server.Client(),
		func(ctx context.Context, _ int) (*http.Request, error) {
			return http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		},
		func(r *http.Response) (n int, err error) {
			for event, err := range httpx.ReadEvents(r) {
				if err != nil {
					return n, err
				}
				if event.Data == "[DONE]" {
					break
				}
				if err := words.Send(r.Request.Context(), event.Data); err != nil {
					return n, err
				}
				n++
			}
			return n, nil
		})
	run := flow.RunOutput(context.Background(), words, talk, 0)
	for word := range run.All() {
		fmt.Println(word)
	}
	fmt.Println(run.Result())
	// Output:
	// hello
	// Ada
	// 2 <nil>
}

func ExampleHandlerOn() {
	loops := tool.NewGroup(0, tool.Options{}) // as many loops as GOMAXPROCS
	defer loops.Shutdown(context.Background())
	double := step.Map(func(n int) int { return 2 * n })
	fmt.Print(post(httpx.HandlerOn(loops, double, httpx.ReadRequest[int](100), httpx.WriteJSON[int]), "21"))
	// Output: 200 42
}

// The program serves until its context ends. With signal.NotifyContext that is at Ctrl-C.
func ExampleServe() {
	ctx, stop := context.WithCancel(context.Background())
	server := &http.Server{Addr: "localhost:0", Handler: http.NotFoundHandler(), ReadHeaderTimeout: 5 * time.Second}
	time.AfterFunc(time.Millisecond, func() {
		fmt.Println("Ctrl-C")
		stop()
	})
	fmt.Println(httpx.Serve(ctx, server, 20*time.Second))
	// Output:
	// Ctrl-C
	// <nil>
}

// The listener was opened before, at a free port.
func ExampleServeOn() {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		stop() // this request is answered nevertheless
		fmt.Fprint(w, "the last one")
	})}
	go func() {
		answer, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			fmt.Println(err)
			return
		}
		defer answer.Body.Close()
	}()
	fmt.Println(httpx.ServeOn(ctx, listener, server, 20*time.Second))
	// Output: <nil>
}

func ExampleReadRequest() {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"Item":"teapot"} {"Item":"spoon"}`))
	_, err := httpx.ReadRequest[Price](1 << 20)(r)
	fmt.Println(httpx.Status(err), fault.InfoOf(err))
	// Output: 400 the body is not the JSON that is expected: a second value follows
}

func ExampleWriteJSON() {
	w := httptest.NewRecorder()
	httpx.WriteJSON(w, nil, Price{"teapot", 4200}, nil)
	fmt.Print(w.Code, " ", w.Body)
	// Output: 200 {"Item":"teapot","Cent":4200}
}

func ExampleWriteJSONStatus() {
	w := httptest.NewRecorder()
	httpx.WriteJSONStatus[Price](http.StatusAccepted)(w, nil, Price{"teapot", 4200}, nil)
	fmt.Print(w.Code, " ", w.Body)
	// Output: 202 {"Item":"teapot","Cent":4200}
}

func ExampleStatus() {
	slow := flow.Timeout(time.Millisecond, step.Delay[int](time.Hour))
	_, err := flow.Run(context.Background(), slow, 0)
	fmt.Println(httpx.Status(err), httpx.Status(nil), httpx.Status(io.EOF))
	// Output: 504 200 500
}

func ExampleWithStatus() {
	err := httpx.WithStatus(http.StatusConflict, fault.New("Sold", "somebody was faster"))
	fmt.Println(httpx.Status(err), fault.CodeOf(err))
	// Output: 409 Sold
}

func ExampleWriteError() {
	w := httptest.NewRecorder()
	httpx.WriteError(w, nil, fault.New(fault.DefenseRejected, "the queue is full"))
	fmt.Print(w.Code, " Retry-After: ", w.Header().Get("Retry-After"), " ", w.Body)
	// Output: 429 Retry-After: 1 {"title":"Too Many Requests","status":429}
}

// At most one request is served at once, and none waits.
func ExampleSync() {
	door := syncx.NewMutex(1, 0)
	var inner http.Handler
	h := httpx.Sync(door, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Print("meanwhile: ", post(inner, ""))
		fmt.Fprintln(w, "served")
	}))
	inner = h
	fmt.Print(post(h, ""))
	// Output:
	// meanwhile: 429 {"title":"Too Many Requests","status":429}
	// 200 served
}

// The client's deadline goes along with its request, and ends the run that serves it.
func ExampleDeadline() {
	slow := step.Delay[struct{}](time.Hour)
	h := httpx.Handler(slow, func(*http.Request) (struct{}, error) { return struct{}{}, nil }, httpx.WriteJSON[struct{}])
	server := httptest.NewServer(httpx.Deadline("X-Timeout-Ms", time.Minute, h))
	defer server.Close()

	r, _ := http.NewRequest(http.MethodGet, server.URL, nil)
	r.Header.Set("X-Timeout-Ms", "5") // as Policy.DeadlineHeader does
	answer, err := server.Client().Do(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer.Body.Close()
	fmt.Println(answer.Status)
	// Output: 504 Gateway Timeout
}

// The header Priority of a request becomes the priority of its context, which guards by priority ask for.
func ExamplePriority() {
	h := httpx.Priority(nil, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Println(syncx.PriorityOf(r.Context()))
	}))
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Priority", "u=1")
	h.ServeHTTP(httptest.NewRecorder(), r)
	// Output: 2
}

func ExampleUrgency() {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Priority", "u=0, i")
	fmt.Println(httpx.Urgency(r))
	// Output: 3
}

// A retry around a step waits as long as the server asks for.
func ExampleStatusError_RetryAfter() {
	busy := &httpx.StatusError{Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"7"}}}
	loop := tooltest.New()
	call := step.Func(func(as step.Scope, in string) (string, error) {
		if as.Attempt() == 1 {
			return "", busy
		}
		return fmt.Sprint(in, " after ", loop.Now()), nil
	})
	run := flow.Start(context.Background(), loop, retry.Of(retry.Policy{Pause: time.Second}, call), "answered")
	loop.Run()
	fmt.Println(run.Result())
	// Output: answered after 7s <nil>
}

func ExampleStatusError_Permanent() {
	fmt.Println((&httpx.StatusError{Status: http.StatusNotFound}).Permanent())
	fmt.Println((&httpx.StatusError{Status: http.StatusServiceUnavailable}).Permanent())
	// Output:
	// true
	// false
}
