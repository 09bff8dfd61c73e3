package flow_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// A trip is booked with all services or with none.
func ExampleSaga() {
	book := func(what string) step.Step[string, string] {
		do := step.Map(func(trip string) string { fmt.Println("book", what); return trip })
		undo := step.Map(func(trip string) string { fmt.Println("cancel", what); return trip })
		return flow.Undo(do, undo)
	}
	pay := step.Func(func(step.Scope, string) (string, error) { return "", errors.New("card declined") })
	trip := flow.Saga(flow.Chain(book("flight"), book("hotel"), flow.Named("pay", pay)))
	_, err := flow.Run(context.Background(), trip, "Rome")
	fmt.Println(err)
	// Output:
	// book flight
	// book hotel
	// cancel hotel
	// cancel flight
	// card declined (at 0/2 "pay")
}

// The undo gets the result of the step that it undoes, here the number of the reservation.
func ExampleUndo() {
	reserve := step.Map(func(seats int) string { return fmt.Sprint("reservation of ", seats) })
	give := step.Map(func(reservation string) string { fmt.Println("give back the", reservation); return "" })
	fail := step.Func(func(step.Scope, string) (string, error) { return "", errors.New("sold out") })
	_, err := flow.Run(context.Background(), flow.Saga(flow.Then(flow.Undo(reserve, give), flow.Named("fail", fail))), 2)
	fmt.Println(err)
	// Output:
	// give back the reservation of 2
	// sold out (at 0/1 "fail")
}
