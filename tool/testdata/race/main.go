// Command race runs many timers on the loop that its argument names, and then has a data race in a callback. A test
// builds it with -race and counts the lines of the report.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

const timers = 2000

func main() {
	done := make(chan struct{})
	switch os.Args[1] {
	case "loop":
		turns(tool.Start(tool.Options{}), done)
		<-done
	case "manual":
		m := tool.NewManual(tool.Options{})
		turns(m, done)
		for !ended(done) {
			if !m.Iterate() {
				_ = m.Wait(context.Background())
			}
		}
	case "tooltest":
		l := tooltest.New()
		turns(l, done)
		l.RunUntil(func() bool { return ended(done) })
	}
}

func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// turns calls each method of t many times and then races with another goroutine.
func turns(t tool.Tool, done chan<- struct{}) {
	n := 0
	var turn func()
	turn = func() {
		if n++; n == timers {
			race()
			close(done)
			return
		}
		h, err := t.Deferred(time.Hour, turn)
		if err != nil || !t.Valid(h) || !t.Cancel(h) || t.Host() == nil || !t.InLoop() {
			panic(fmt.Sprint("a timer can't be cancelled: ", err))
		}
		queue := t.Immediate
		if n%2 == 0 {
			queue = func(fn func()) (tool.Handle, error) { return t.Deferred(0, fn) }
		}
		if _, err := queue(turn); err != nil {
			panic(err)
		}
	}
	if _, err := t.Immediate(turn); err != nil {
		panic(err)
	}
}

// race writes to the same variable on two goroutines.
func race() {
	shared := 0
	other := make(chan struct{})
	go func() {
		shared++
		close(other)
	}()
	shared++
	<-other
}
