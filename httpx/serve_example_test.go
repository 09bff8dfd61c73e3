package httpx_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// serveWhileDraining answers new requests with 503 while the runs on loops end.
func serveWhileDraining(stop context.Context, l net.Listener, server *http.Server, loops *tool.Group) error {
	serving, quit := context.WithCancel(context.Background())
	defer quit()
	context.AfterFunc(stop, func() {
		defer quit()
		patience, done := context.WithTimeout(context.Background(), 20*time.Second)
		defer done()
		_ = loops.Shutdown(patience) // from now on httpx.HandlerOn(loops, …) answers 503
	})
	return httpx.ServeOn(serving, l, server, time.Second)
}

// New requests are answered with 503 while others end.
func ExampleServeOn_draining() {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	begun, end := make(chan struct{}), make(chan struct{})
	page := step.Await(func(_ context.Context, path string) (string, error) {
		if path == "/slow" {
			close(begun)
			<-end
		}
		return path, nil
	})
	loops := tool.NewGroup(1, tool.Options{})
	path := func(r *http.Request) (string, error) { return r.URL.Path, nil }
	server := &http.Server{Handler: httpx.HandlerOn(loops, page, path, httpx.WriteJSON), ReadHeaderTimeout: time.Second}
	get := func(path string) int {
		answer, err := http.Get("http://" + listener.Addr().String() + path)
		if err != nil {
			fmt.Println(err)
			return 0
		}
		defer answer.Body.Close()
		return answer.StatusCode
	}
	stop, cancel := context.WithCancel(context.Background())
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		slow := make(chan int)
		go func() { slow <- get("/slow") }()
		<-begun
		cancel()
		status := get("/new")
		for status == http.StatusOK { // the shutdown hasn't begun
			status = get("/new")
		}
		fmt.Println("new:", status)
		close(end)
		fmt.Println("slow:", <-slow)
	}()
	err = serveWhileDraining(stop, listener, server, loops)
	<-asked
	fmt.Println("ended:", err)
	// Output:
	// new: 503
	// slow: 200
	// ended: <nil>
}
