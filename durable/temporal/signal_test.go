package temporal_test

import (
	"fmt"
	"testing"
	"time"

	common "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/proto"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// heard waits for a signal, and returns its name and value.
func heard(name string) flow.Plan[string, string] {
	return flow.Then(step.Map(func(string) struct{} { return struct{}{} }),
		flow.Then(durable.Signal[int](name), step.Map(func(n int) string { return fmt.Sprint(name, n) })))
}

// racing waits for one of two signals, and then for the second one, which the race has left.
var racing = flow.Chain(flow.First(heard("a"), heard("b")), flow.Timeout(time.Hour, heard("b")))

// payload is a signal as a run that begins anew is given it.
func payload(t *testing.T, name, json string) map[string]any {
	t.Helper()
	raw, err := proto.Marshal(&common.Payload{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(json)})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"name": name, "payload": raw}
}

// A step that is left because another one has received a signal takes none, although both were there.
func TestSignalsOfARace(t *testing.T) {
	e := env(t, temporal.Of(durable.New("racing", racing)).Register)
	e.ExecuteWorkflow("racing", "", map[string]any{"generation": 1, "signals": []any{payload(t, "a", "1"), payload(t, "b", "2")}})
	var out string
	if err := e.GetWorkflowResult(&out); out != "b2" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	locally(t, func(t *testing.T, on durable.Engine) {
		run, err := durable.New("late", flow.Then(step.Delay[string](time.Minute), racing)).Start(t.Context(), on, "r", "")
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"a", "b"} {
			if err = durable.Send(t.Context(), run, name, i+1); err != nil {
				t.Error(err)
			}
		}
		if out, err := run.Wait(t.Context()); out != "b2" || err != nil {
			t.Errorf("on a local engine: got %q, %v", out, err)
		}
	})
}

// A kept signal that can't be read is dropped, and the next one is received.
func TestKeptSignalIsCorrupt(t *testing.T) {
	e := env(t, temporal.Of(durable.New("corrupt", flow.Timeout(time.Hour, heard("a")))).Register)
	e.ExecuteWorkflow("corrupt", "", map[string]any{"signals": []any{payload(t, "a", "{"), payload(t, "a", "2")}})
	var out string
	if err := e.GetWorkflowResult(&out); out != "a2" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}
