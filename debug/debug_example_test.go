package debug_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime/trace"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// What a program shows of itself, and where: on loopback, apart from what it
// serves to others.
func ExampleHandler() {
	door := syncx.NewMutex(8, 100)
	loops := tool.NewGroup(2, tool.Options{})
	shows := func(d *debug.Handler) {
		d.Guard("door", door)
		for i, l := range loops.Loops() {
			d.Loop(fmt.Sprintf("loop %d", i), l)
		}
	}
	d := debug.New(debug.Options{Live: 100})
	shows(d)
	mux := http.NewServeMux()
	mux.Handle("/debug/asyncsteps/", d)
	server := httptest.NewServer(mux) // elsewhere: http.ListenAndServe("127.0.0.1:6060", mux)
	defer server.Close()

	// The runs that are started with this context are shown.
	ctx := observe.With(context.Background(), d)
	plan := syncx.Sync(door, step.Map(func(name string) string { return "hello " + name }))
	fmt.Println(flow.Start(ctx, loops.Next(), plan, "reader").Wait(ctx))
	fmt.Println(loops.Shutdown(ctx))
	// Output:
	// hello reader <nil>
	// <nil>
}

// The pages are JSON for programs: here, where a run stands after a minute.
func ExampleNew() {
	loop := tooltest.New()
	d := debug.New(debug.Options{Clock: loop.Now})
	check := step.Map(func(amount int) bool { return amount > 100 })
	approval := flow.Named("approval", step.New(func(as step.Scope, _ bool) step.Next[bool] {
		return step.Wait(as, func(step.Done[bool]) {}) // somebody will call it, some day
	}))
	order := flow.Named("order", flow.Then(check, approval))
	run := flow.Start(observe.With(context.Background(), d), loop, order, 250)
	loop.Advance(time.Minute)

	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/debug/asyncsteps/index.json", http.NoBody))
	var page struct {
		Live []struct {
			Name   string `json:"name"`
			Stands []struct {
				Path  string  `json:"path"`
				Label string  `json:"label"`
				State string  `json:"state"`
				For   float64 `json:"for"`
			} `json:"stands"`
		} `json:"live"`
	}
	fmt.Println(json.Unmarshal(w.Body.Bytes(), &page))
	fmt.Printf("%+v\n", page.Live)
	run.Cancel(nil)
	loop.Run()
	// Output:
	// <nil>
	// [{Name:order Stands:[{Path:0/1 Label:approval State:suspended For:60}]}]
}

// Histories are kept also while nobody looks, and a run that fails gets a flight record:
// what the whole process did in the last seconds, for "go tool trace".
func ExampleHandler_Run() {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: 5 * time.Second})
	if err := recorder.Start(); err != nil {
		fmt.Println(err)
	}
	defer recorder.Stop()
	d := debug.New(debug.Options{Flight: recorder})
	ctx, stop := context.WithCancel(context.Background())
	stop() // when the program ends
	fmt.Println(d.Run(ctx))
	// Output: context canceled
}

// A server that is shut down waits for requests that go on. Pages with live updates are
// such requests, so they are told.
func ExampleHandler_Close() {
	d := debug.New(debug.Options{})
	server := &http.Server{Handler: d, ReadHeaderTimeout: time.Second}
	server.RegisterOnShutdown(d.Close)
	fmt.Println(server.Shutdown(context.Background()))
	// Output: <nil>
}
