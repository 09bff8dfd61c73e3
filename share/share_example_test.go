package share_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Three runs ask for a user at the same time, and another one later: there is only one query.
func ExampleNewMemo() {
	users := share.NewMemo(share.MemoPolicy{Lifetime: time.Minute}, flow.Then(
		step.Delay[int](10*time.Millisecond),
		step.Map(func(id int) string {
			fmt.Println("query", id)
			return fmt.Sprint("user ", id)
		}),
	))
	loop := tooltest.New()
	for range 3 {
		flow.Start(context.Background(), loop, users.Get(), 7)
	}
	loop.Run()
	run := flow.Start(context.Background(), loop, users.Get(), 7)
	loop.Run()
	fmt.Println(run.Result())
	// Output:
	// query 7
	// user 7 <nil>
}

// The policy keeps one error only: the user doesn't exist.
func ExampleMemoPolicy() {
	errUnknown := fault.New("UnknownUser", "")
	users := share.NewMemo(share.MemoPolicy{
		Lifetime:   time.Minute,
		Size:       10_000,
		KeepErrors: func(err error) bool { return errors.Is(err, errUnknown) },
	}, step.Func(func(_ step.Scope, id int) (string, error) {
		fmt.Println("query", id)
		return "", errUnknown
	}))
	for range 2 {
		_, err := flow.Run(context.Background(), users.Get(), 7)
		fmt.Println(fault.CodeOf(err))
	}
	// Output:
	// query 7
	// UnknownUser
	// UnknownUser
}

func ExampleMemo_Forget() {
	version := 1
	users := share.NewMemo(share.MemoPolicy{Lifetime: -1}, step.Map(func(id int) string {
		return fmt.Sprintf("user %d, version %d", id, version)
	}))
	get := func() { fmt.Println(flow.Run(context.Background(), users.Get(), 7)) }
	get()
	version = 2
	get()
	users.Forget(7)
	get()
	fmt.Println(users.Len())
	// Output:
	// user 7, version 1 <nil>
	// user 7, version 1 <nil>
	// user 7, version 2 <nil>
	// 1
}

// Branches ask for prices one by one; the server is asked once.
func ExampleNewBatch() {
	prices := share.NewBatch(share.BatchPolicy{Most: 100}, step.Map(func(items []string) []share.Answer[int] {
		fmt.Println("ask for", items)
		answers := make([]share.Answer[int], len(items))
		for i, item := range items {
			answers[i].Value = len(item)
		}
		return answers
	}))
	basket := flow.ParEach(10, prices.Get())
	fmt.Println(flow.Run(context.Background(), basket, []string{"tea", "milk", "tea"}))
	// Output:
	// ask for [tea milk]
	// [3 4 3] <nil>
}

// An item that the server doesn't know fails the runs that have asked for it.
func ExampleAnswer() {
	prices := share.NewBatch(share.BatchPolicy{Window: 5 * time.Millisecond}, step.Map(func(items []string) []share.Answer[int] {
		answers := make([]share.Answer[int], len(items))
		for i, item := range items {
			if answers[i].Value = len(item); item == "gold" {
				answers[i].Err = fault.New("UnknownItem", item)
			}
		}
		return answers
	}))
	loop := tooltest.New()
	tea := flow.Start(context.Background(), loop, prices.Get(), "tea")
	gold := flow.Start(context.Background(), loop, prices.Get(), "gold")
	loop.Run()
	fmt.Println(tea.Result())
	fmt.Println(gold.Result())
	// Output:
	// 3 <nil>
	// 0 UnknownItem: gold (at 0)
}

// A Memo around a Batch keeps the values that were loaded together.
func ExampleBatch_Get() {
	loads := 0
	prices := share.NewBatch(share.BatchPolicy{}, step.Map(func(items []string) []share.Answer[int] {
		loads++
		return make([]share.Answer[int], len(items))
	}))
	kept := share.NewMemo(share.MemoPolicy{Lifetime: time.Hour}, prices.Get())
	for range 3 {
		_, err := flow.Run(context.Background(), flow.ParEach(10, kept.Get()), []string{"tea", "milk"})
		fmt.Println(loads, err)
	}
	// Output:
	// 1 <nil>
	// 1 <nil>
	// 1 <nil>
}
