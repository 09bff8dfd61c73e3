package explore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// failing takes the place of the t of a test that fails.
type failing struct{ printed }

func (failing) Name() string { return "TestPaidTwice" }

func (f failing) Fatal(args ...any) {
	f.printed.Fatal(args...)
	panic("the test has ended")
}

// bank is the fake of a service.
type bank struct{ charged int }

func (b *bank) charge(context.Context, int) (string, error) {
	b.charged++
	return "receipt", nil
}

// pay asks the bank again if it hasn't answered within a second.
func pay(b *bank) flow.Plan[int, string] {
	charge := flow.Named("charge", step.Await(b.charge))
	policy := retry.Policy{Codes: []fault.Code{fault.Timeout}}
	return flow.Named("pay", retry.Of(policy, flow.Timeout(time.Second, charge)))
}

// paysOnce is a body that fails unless the customer is charged once.
func paysOnce(x *explore.Trial) error {
	b := new(bank)
	x.Look(func() string { return fmt.Sprint("charged ", b.charged) })
	explore.Start(context.Background(), x, pay(b), 100)
	if err := x.Run(); err != nil {
		return err
	}
	if b.charged != 1 {
		return fmt.Errorf("the customer has paid %d times", b.charged)
	}
	return nil
}

// A customer complains of having paid twice. The console still has the run; its page run.json?id=7 is in testdata.
func ExampleReproduce() {
	page, err := os.ReadFile("testdata/pay.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = recover() }()
	t := failing{} // in a test, its t
	explore.Reproduce(t, explore.FromConsole(page), paysOnce)
	// Output:
	// the customer has paid 2 times
	//
	// all 20 events came as they were recorded
	//
	// the last of them:
	// 	1.001062s    run 1: handled, recovered 0/0 "attempt": Timeout: step "pay" › 0/0/0 took longer than 1s [charged 1]
	// 	1.001064s    run 1: step end 0/0 "attempt" [charged 1]
	// 	1.001066s    run 1: step start 0/0 "attempt" [charged 1]
	// 	1.001067s    run 1: step start 0/0/0 "timeout" [charged 1]
	// 	1.001069s    run 1: step start 0/0/0/0 "charge" [charged 1]
	// 	1.001071s    run 1: suspended 0/0/0/0 "charge" [charged 2]
	// 	1.241069s    run 1: resumed 0/0/0/0 "charge" [charged 2]
	// 	1.241082s    run 1: step end 0/0/0/0 "charge" [charged 2]
	// 	1.241084s    run 1: step end 0/0/0 "timeout" [charged 2]
	// 	1.241085s    run 1: step end 0/0 "attempt" [charged 2]
	// 	1.241087s    run 1: step end 0 "pay" [charged 2]
	// 	1.241092s    run 1: run end [charged 2]
	//
	// what these functions return isn't recorded, so they have to be fakes:
	// 	charge (reproduce_example_test.go:40)
	//
	// a test to keep, under the schedule plain (0 delays):
	// // TestPaidTwice is an incident: the customer has paid 2 times
	// func TestPaidTwice(t *testing.T) {
	// 	err := explore.Replay(nil, func(x *explore.Trial) error {
	// 		x.Answers(
	// 			explore.Answer{Run: 1, Path: "0/0/0/0", After: explore.Never},
	// 			explore.Answer{Run: 1, Path: "0/0/0/0", After: 241069 * time.Microsecond},
	// 		)
	// 		return paysOnce(x)
	// 	})
	// 	if err != nil {
	// 		t.Fatal(err)
	// 	}
	// }
}

// The console's page run.json of a run can be followed, and so can a flight record from the console.
func ExampleFromConsole() {
	page, err := os.ReadFile("testdata/pay.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(explore.Follow(explore.FromConsole(page), paysOnce).Err)
	fmt.Println(explore.Follow(explore.FromConsole([]byte("<html>")), paysOnce).Departed)
	// Output:
	// the customer has paid 2 times
	// explore: the incident can't be reproduced: file 1: it is neither the page run.json of a run nor a flight record: invalid character '<' looking for beginning of value
}

// The moments can be looked through in both directions.
func ExampleFollow() {
	page, err := os.ReadFile("testdata/pay.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := explore.Follow(explore.FromConsole(page), paysOnce)
	twice := slices.IndexFunc(r.Moments, func(m explore.Moment) bool { return m.State == "charged 2" })
	for _, m := range r.Moments[twice-1 : twice+1] {
		fmt.Printf("%v %s: %s\n", m.At, m.Event, m.State)
	}
	// Output:
	// 1.001069s step start 0/0/0/0 "charge": charged 1
	// 1.001071s suspended 0/0/0/0 "charge": charged 2
}

// What would have happened if the bank had answered in time? One answer is changed, and the run goes on differently.
func ExampleTrial_Answers() {
	answers := []explore.Answer{
		{Run: 1, Path: "0/0/0/0", After: explore.Never},
		{Run: 1, Path: "0/0/0/0", After: 240 * time.Millisecond},
	}
	body := func(x *explore.Trial) error {
		x.Answers(answers...)
		return paysOnce(x)
	}
	fmt.Println(explore.Replay(nil, body))
	answers[0].After = 999 * time.Millisecond
	fmt.Println(explore.Replay(nil, body))
	// Output:
	// the customer has paid 2 times
	// <nil>
}

// Look makes the state of a test part of each moment.
func ExampleTrial_Look() {
	recorder := observe.NewRecorder(100)
	plan := flow.Then(step.Delay[int](time.Second), step.Delay[int](time.Second))
	loop := tooltest.New() // in production a loop of package tool
	flow.Start(observe.With(context.Background(), recorder), loop, plan, 0)
	loop.Run()

	r := explore.Follow(explore.FromRecorder(recorder.Runs()...), func(x *explore.Trial) error {
		x.Look(func() string { return fmt.Sprint("it is ", x.Loop().Now()) })
		explore.Start(context.Background(), x, plan, 0)
		return x.Run()
	})
	fmt.Println(r.Moments[0].State)
	fmt.Println(r.Moments[len(r.Moments)-1].State)
	// Output:
	// it is 0s
	// it is 2s
}

// A plan that has changed isn't taken for the recorded one.
func ExampleFromRecorder() {
	recorder := observe.NewRecorder(100)
	loop := tooltest.New()
	before := flow.Named("brew", flow.Then(step.Delay[int](time.Second), flow.Named("taste", step.Delay[int](1))))
	flow.Start(observe.With(context.Background(), recorder), loop, before, 0)
	loop.Run()

	after := flow.Named("brew", flow.Then(step.Delay[int](time.Second), step.Delay[int](time.Second)))
	r := explore.Follow(explore.FromRecorder(recorder.Runs()...), func(x *explore.Trial) error {
		explore.Start(context.Background(), x, after, 0)
		return x.Run()
	})
	fmt.Println(errors.Is(r.Departed, explore.ErrDeparted))
	fmt.Println(r.Departed)
	// Output:
	// true
	// explore: the test departs from the incident at event 6 of 11: recorded was step start 0/1 "taste" of run 1, after 1s
	// instead came step start 0/1 "delay"
	// the plan, its input or what its functions do is another than was recorded
}

// An error with a record of observe.Flight is enough for an incident.
func ExampleFromError() {
	plan := flow.Timeout(time.Second, step.Delay[int](time.Hour))
	loop := tooltest.New()
	run := flow.Start(observe.With(context.Background(), observe.Flight(32)), loop, plan, 0)
	loop.Run()
	_, failed := run.Result()

	r := explore.Follow(explore.FromError(failed), func(x *explore.Trial) error {
		again := explore.Start(context.Background(), x, plan, 0)
		if err := x.Run(); err != nil {
			return err
		}
		_, err := again.Result()
		return err
	})
	fmt.Println(r.Departed, r.Err)
	// Output: <nil> Timeout: step 0 took longer than 1s
}

// The console has errors only as texts. Errors puts values in their place, which errors.Is finds.
func ExampleIncident_Errors() {
	errBusy := errors.New("busy")
	page := []byte(`{"name": "ask", "events": [
		{"at": 0, "what": "step start", "path": "0", "label": "ask"},
		{"at": 0, "what": "suspended", "path": "0", "label": "ask"},
		{"at": 2, "what": "resumed", "path": "0", "label": "ask"},
		{"at": 2, "what": "raised", "path": "0", "label": "ask", "error": "busy"},
		{"at": 2, "what": "step end", "path": "0", "label": "ask", "error": "InternalError"},
		{"at": 2, "what": "run end", "error": "busy (at 0 \"ask\")"}
	]}`)
	ask := flow.Named("ask", step.Await(func(context.Context, int) (int, error) { return 0, nil }))
	r := explore.Follow(explore.FromConsole(page).Errors(errBusy), func(x *explore.Trial) error {
		run := explore.Start(context.Background(), x, ask, 0)
		if err := x.Run(); err != nil {
			return err
		}
		_, err := run.Result()
		return err
	})
	fmt.Println(r.Departed, errors.Is(r.Err, errBusy))
	// Output: <nil> true
}

// Test returns the test that Reproduce reports.
func ExampleReproduction_Test() {
	page, err := os.ReadFile("testdata/pay.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(explore.Follow(explore.FromConsole(page), paysOnce).Test("TestPaidTwice", "paysOnce"))
	// Output:
	// // TestPaidTwice is an incident: the customer has paid 2 times
	// func TestPaidTwice(t *testing.T) {
	// 	err := explore.Replay(nil, func(x *explore.Trial) error {
	// 		x.Answers(
	// 			explore.Answer{Run: 1, Path: "0/0/0/0", After: explore.Never},
	// 			explore.Answer{Run: 1, Path: "0/0/0/0", After: 241069 * time.Microsecond},
	// 		)
	// 		return paysOnce(x)
	// 	})
	// 	if err != nil {
	// 		t.Fatal(err)
	// 	}
	// }
}
