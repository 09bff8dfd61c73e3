// Package blocking holds its loop up.
package blocking

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

var (
	db      *sql.DB
	group   sync.WaitGroup
	results = make(chan int)
	room    = make(chan int, 1)
)

var _ = step.Map(func(in int) int {
	time.Sleep(time.Second) // want `time.Sleep blocks the loop: a function given to step.Map runs on it`
	group.Wait()            // want `WaitGroup..Wait blocks`
	return in
})

var _ = step.Func(func(as step.Scope, in string) (string, error) {
	if _, err := http.Get(in); err != nil { // want `net/http.Get blocks`
		return "", err
	}
	if _, err := net.Dial("tcp", in); err != nil { // want `net.Dial blocks`
		return "", err
	}
	_, err := db.ExecContext(as.Context(), in) // want `database/sql.DB..ExecContext blocks`
	return in, err
})

var _ = step.New(func(as step.Scope, in int) step.Next[int] {
	results <- in // want `sending to a channel blocks`
	room <- in
	in = <-room         // want `receiving from a channel blocks`
	for range results { // want `receiving from a channel blocks`
	}
	select { // want `select without default blocks`
	case in = <-results:
	case <-as.Context().Done():
	}
	select {
	case in = <-results:
		<-room // want `receiving from a channel blocks`
	default:
	}
	go func() { results <- <-room }()
	later := func() int { return <-results }
	func() { <-room }() // want `receiving from a channel blocks`
	_ = later
	return step.Succeed(in)
})

// Handlers, hooks and what begins a wait run on the loop as well.
var _ = flow.Catch(step.New(waits), func(as step.Scope, _ error) step.Next[int] {
	as.SetCancel(func() { <-results }) // want `receiving from a channel blocks the loop: a function given to .step.Scope..SetCancel`
	return step.Succeed(calls())       // want `calls .receives .receiving from a channel.. blocks`
})

func waits(as step.Scope, _ int) step.Next[int] {
	n, _ := flow.Run(as.Context(), plan, 1) // want `flow.Run blocks the loop: a function given to step.New`
	_ = n
	return step.Wait(as, func(done step.Done[int]) {
		<-results // want `receiving from a channel blocks the loop: a function given to step.Wait`
		go func() { done.Succeed(<-results) }()
	})
}

func calls() int    { return receives() }
func receives() int { return <-results }

var plan = step.Map(func(in int) int { return in })

type store struct{ answers chan int }

func (s *store) get(step.Scope, int) (int, error) {
	return <-s.answers, nil // want `receiving from a channel blocks the loop: a function given to step.Func`
}

var _ = step.Func(new(store).get)

var _ = stream.Map(stream.Slice[int](), func(in int) int {
	time.Sleep(time.Second) // want `time.Sleep blocks the loop: a function given to stream.Map`
	return in
})

// Functions of the other operators and sinks run on the loop as well.
var _ = stream.Fold(
	stream.Catch(
		stream.Partition(
			stream.Distinct(
				stream.Expand(
					stream.Input(func(in int) []int {
						<-results // want `receiving from a channel blocks the loop: a function given to stream.Input`
						return nil
					}, stream.Slice[int]()),
					func(in int) iter.Seq[int] {
						<-results // want `receiving from a channel blocks the loop: a function given to stream.Expand`
						return nil
					}),
				func(in int) int {
					<-results // want `receiving from a channel blocks the loop: a function given to stream.Distinct`
					return in
				}),
			stream.Bound{Limit: 1},
			func(in int) int {
				<-results // want `receiving from a channel blocks the loop: a function given to stream.Partition`
				return in
			}, plan),
		func(err error) error {
			<-results // want `receiving from a channel blocks the loop: a function given to stream.Catch`
			return err
		}),
	func() int {
		return <-results // want `receiving from a channel blocks the loop: a function given to stream.Fold`
	},
	func(acc, in int) int {
		return <-results // want `receiving from a channel blocks the loop: a function given to stream.Fold`
	})

var _ = stream.ForEach(
	stream.Scan(stream.Slice[int](),
		func() int {
			return <-results // want `receiving from a channel blocks the loop: a function given to stream.Scan`
		},
		func(acc, in int) int {
			return <-results // want `receiving from a channel blocks the loop: a function given to stream.Scan`
		}),
	func(in int) error {
		<-results // want `receiving from a channel blocks the loop: a function given to stream.ForEach`
		return nil
	})

// The functions of these stages run on goroutines of their own.
var _ = stream.Consume(
	stream.Await(
		stream.Generate(1, func(ctx context.Context, in int, yield func(int) bool) error {
			for v := range results {
				if !yield(v) {
					break
				}
			}
			return nil
		}),
		stream.Bound{Limit: 1},
		func(ctx context.Context, in int) (int, error) { return <-results, nil }),
	1,
	func(ctx context.Context, in int, all iter.Seq[int]) (int, error) { return <-results, nil })

var _ = stream.Send(stream.Slice[int](), 1, func(in []int) chan<- int {
	<-results
	return nil
})

// Blocking code is allowed in Await.
var _ = step.Await(func(ctx context.Context, in int) (int, error) {
	time.Sleep(time.Second)
	select {
	case in = <-results:
	case <-ctx.Done():
	}
	return in, db.PingContext(ctx)
})

// A channel that only the body knows doesn't block it, unless another goroutine fills it.
var _ = step.Map(func(in []int) int {
	own := make(chan int, len(in))
	for _, v := range in {
		own <- v
	}
	first := <-own
	select {
	case first = <-own:
	case <-results:
	}
	close(own)
	for v := range own {
		first += v
	}
	ended := make(chan int)
	close(ended)
	<-ended
	func() { own <- <-own }()

	filled := make(chan int, 1)
	go func() { filled <- 1 }()
	first += <-filled // want `receiving from a channel blocks`
	timed := make(chan int, 1)
	time.AfterFunc(time.Second, func() { timed <- 1 })
	first += <-timed // want `receiving from a channel blocks`
	given := make(chan int, 1)
	fill(given)
	first += <-given // want `receiving from a channel blocks`
	stored := make(chan int, 1)
	kept = append(kept, stored)
	first += <-stored // want `receiving from a channel blocks`
	late := make(chan int)
	defer close(late)
	<-late // want `receiving from a channel blocks`
	empty := make(chan int, 0)
	empty <- 1 // want `sending to a channel blocks`
	return first
})

var kept []chan int

func fill(c chan int) { kept = append(kept, c) }

// A function in a variable is reported under the name of the variable.
var (
	pause   = time.Sleep
	later   = time.Sleep
	replace = func() { later = func(time.Duration) {} }
	Sleep   = time.Sleep // another package may replace it
)

var held = func(in int) int {
	time.Sleep(time.Second) // want `time.Sleep blocks the loop: a function given to step.Map`
	return in
}

var _ = step.Map(held)

var _ = step.Map(func(in int) int {
	f := time.Sleep
	f(time.Second)     // want `f .time.Sleep. blocks`
	pause(time.Second) // want `pause .time.Sleep. blocks`
	g := receives
	in += g() // want `g .receiving from a channel. blocks`
	wait := func() { <-results }
	wait() // want `wait .receiving from a channel. blocks`
	var again func(n int)
	again = func(n int) { again(n - 1) }
	again(in)
	later(time.Second)
	Sleep(time.Second)
	set := func() {}
	if in > 0 {
		set = func() { <-results }
	}
	set()
	return in
})

// Reading from os.Stdin blocks.
var _ = step.Map(func(in string) string {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() { // want `bufio.Scanner..Scan of os.Stdin blocks`
	}
	r := bufio.NewReader(os.Stdin)
	answer, _ := r.ReadString('\n') // want `bufio.Reader..ReadString of os.Stdin blocks`
	_ = r.Buffered()
	fmt.Scanln(&in)             // want `fmt.Scanln blocks`
	fmt.Fscan(os.Stdin, &in)    // want `fmt.Fscan of os.Stdin blocks`
	all, _ := io.ReadAll(input) // want `io.ReadAll of os.Stdin blocks`
	os.Stdin.Read(all)          // want `os.File..Read of os.Stdin blocks`
	words := bufio.NewScanner(strings.NewReader(in))
	words.Scan()
	var own *bufio.Reader
	own = bufio.NewReader(own)
	own.ReadByte()
	read := func(from io.Reader) { from = bufio.NewReader(from); io.ReadAll(from) }
	read(nil)
	fmt.Fscan(strings.NewReader(in), &in)
	return answer
})

var input = os.Stdin

// Each of two functions that call each other blocks if one of them does.
var _ = step.Map(func(in int) int {
	ping(in) // want `ping \(receiving from a channel\) blocks`
	pong(in) // want `pong \(ping \(receiving from a channel\)\) blocks`
	even(in)
	odd(in)
	return in
})

func ping(n int) {
	if n > 0 {
		pong(n - 1)
	}
	<-results
}

func pong(n int) { ping(n) }

func even(n int) bool { return n == 0 || odd(n-1) }
func odd(n int) bool  { return n != 0 && even(n-1) }

// A channel that comes from elsewhere may have no buffer.
var _ = step.Map(func(in int) int {
	opened := make(chan int, 1)
	opened, err := open()
	if err == nil {
		opened <- in // want `sending to a channel blocks`
	}
	listed := make(chan int, 1)
	for _, listed = range kept {
		listed <- in // want `sending to a channel blocks`
	}
	var declared, _ = open()
	if declared == nil {
		declared = make(chan int, 1)
	}
	declared <- in // want `sending to a channel blocks`
	return in
})

func open() (chan int, error) { return make(chan int), nil }
