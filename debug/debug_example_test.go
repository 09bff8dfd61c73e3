package debug_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime/trace"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A program serves its pages on loopback, apart from what it serves to others.
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
	server := httptest.NewServer(mux) // a program calls http.ListenAndServe("127.0.0.1:6060", mux)
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

// Pages are available as JSON too: this one shows where a run stands after a minute.
func ExampleNew() {
	loop := tooltest.New()
	d := debug.New(debug.Options{Clock: loop.Now})
	check := step.Map(func(amount int) bool { return amount > 100 })
	approval := flow.Named("approval", step.New(func(as step.Scope, _ bool) step.Next[bool] {
		return step.Wait(as, func(step.Done[bool]) {}) // never completed in this example
	}))
	order := flow.Named("order", flow.Then(check, approval))
	run := flow.Start(observe.With(context.Background(), d), loop, order, 250)
	loop.Advance(time.Minute)

	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "http://localhost/debug/asyncsteps/index.json", http.NoBody))
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

// Run keeps histories also while nobody looks, and takes flight records of runs that fail: the last seconds of the whole
// process, for "go tool trace".
func ExampleHandler_Run() {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: 5 * time.Second})
	if err := recorder.Start(); err != nil {
		fmt.Println(err)
	}
	defer recorder.Stop()
	d := debug.New(debug.Options{Flight: recorder})
	ctx, stop := context.WithCancel(context.Background())
	stop() // the program calls it at its end
	fmt.Println(d.Run(ctx))
	// Output: context canceled
}

// Shutdown of a server waits for requests that go on. Pages with live updates are such requests, so Close ends them.
func ExampleHandler_Close() {
	d := debug.New(debug.Options{})
	server := &http.Server{Handler: d, ReadHeaderTimeout: time.Second}
	server.RegisterOnShutdown(d.Close)
	fmt.Println(server.Shutdown(context.Background()))
	// Output: <nil>
}

// Runs that an engine keeps have a page of their own; package sqlitedebug makes the Durable of a file.
func ExampleHandler_Durable() {
	console := debug.New(debug.Options{})
	defer console.Close()
	console.Durable("orders", debug.Durable{
		Runs: func(context.Context, string, string, int) ([]debug.DurableRun, error) {
			return []debug.DurableRun{{ID: "order-17", Workflow: "orders", State: "lives"}}, nil
		},
		History: func(context.Context, string) (debug.DurableRun, []debug.DurableEvent, error) {
			return debug.DurableRun{}, nil, errors.New("no such run")
		},
	})
	w := httptest.NewRecorder()
	console.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "http://localhost/durable.json", http.NoBody))
	fmt.Println(strings.Contains(w.Body.String(), `"id":"order-17"`))
	// Output: true
}

// The jobs of a table have a page of their own, on which they can be run by hand if Options.Control is set.
func ExampleHandler_Jobs() {
	jobs := cron.New(cron.Job{Name: "sweep", Period: time.Minute, Work: step.Act(func(context.Context) error { return nil })})
	console := debug.New(debug.Options{Control: true})
	defer console.Close()
	console.Jobs("main", jobs)
	w := httptest.NewRecorder()
	console.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "http://localhost/jobs.json", http.NoBody))
	fmt.Println(w.Body)
	// Output: {"tables":[{"name":"main","jobs":[{"name":"sweep","spec":"every 1m0s","rounds":0,"failed":0,"skipped":0,"took":0}]}]}
}
