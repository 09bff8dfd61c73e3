package timeline_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/timeline"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A program writes the page to a file, for a browser.
func ExampleWriteHTML() {
	recorder := observe.NewRecorder(10_000)
	loop := tooltest.New()
	flow.Start(observe.With(context.Background(), recorder), loop, examplePlan(), 0)
	loop.Run()

	var html bytes.Buffer
	if err := timeline.WriteHTML(&html, recorder.Runs()...); err != nil {
		fmt.Println(err)
	}
	fmt.Println(bytes.Contains(html.Bytes(), []byte("<svg ")))
	// Output: true
}

// WriteSVG writes the picture alone. Real runs are recorded in the same way.
func ExampleWriteSVG() {
	recorder := observe.NewRecorder(10_000)
	_, _ = flow.Run(observe.With(context.Background(), recorder), delayed("nap", time.Millisecond, nil), 0)
	var svg bytes.Buffer
	fmt.Println(timeline.WriteSVG(&svg, recorder.Runs()...), svg.Len() > 0)
	// Output: <nil> true
}

// The trace can be opened at ui.perfetto.dev.
func ExampleWriteTrace() {
	recorder := observe.NewRecorder(10_000)
	loop := tooltest.New()
	flow.Start(observe.With(context.Background(), recorder), loop, delayed("nap", time.Second, nil), 0)
	loop.Run()
	runs := numbered(recorder.Runs()) // numbers from 1, so that the output is always the same
	if err := timeline.WriteTrace(os.Stdout, runs...); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"displayTimeUnit":"ms","traceEvents":[
	// {"name":"process_name","ph":"M","ts":0,"pid":1,"tid":0,"args":{"name":"nap #1"}},
	// {"name":"thread_name","ph":"M","ts":0,"pid":1,"tid":1,"args":{"name":"steps"}},
	// {"name":"nap","cat":"run","ph":"B","ts":0,"pid":1,"tid":1},
	// {"name":"nap","cat":"step","ph":"B","ts":0,"pid":1,"tid":1,"args":{"kind":"new","path":"0"}},
	// {"name":"waiting","cat":"wait","ph":"B","ts":0,"pid":1,"tid":1},
	// {"ph":"E","ts":1000000,"pid":1,"tid":1},
	// {"ph":"E","ts":1000000,"pid":1,"tid":1},
	// {"ph":"E","ts":1000000,"pid":1,"tid":1}
	// ]}
}
