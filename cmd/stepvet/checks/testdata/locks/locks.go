// Package locks takes locks on the loop.
package locks

import (
	"context"
	"net/http"
	"sync"

	"github.com/futoin-go/asyncsteps/step"
)

var (
	moment sync.Mutex // held for a moment
	slow   sync.Mutex // held during a request
	kept   sync.RWMutex
	inner  sync.Mutex // held for a moment, in a literal
	n      int
)

var _ = step.Map(func(in int) int {
	moment.Lock() // with -blocking.locks: reported
	defer moment.Unlock()
	n += in
	return n
})

var _ = step.Map(func(in int) int {
	slow.Lock() // want `Mutex..Lock blocks the loop`
	n += in
	slow.Unlock()
	kept.RLock() // want `RWMutex..RLock blocks the loop`
	return n
})

var _ = step.Await(func(_ context.Context, url string) (int, error) { return fetch(url) })

func fetch(url string) (int, error) {
	slow.Lock()
	defer slow.Unlock()
	r, err := http.Get(url)
	if err != nil {
		return 0, err
	}
	return r.StatusCode, r.Body.Close()
}

var _ = step.Map(func(in int) int {
	inner.Lock()
	defer inner.Unlock()
	n += in
	return n
})

func fetchLater(url string) (int, error) {
	add := func() {
		inner.Lock()
		defer inner.Unlock()
		n++
	}
	r, err := http.Get(url)
	add()
	if err != nil {
		return 0, err
	}
	return r.StatusCode, r.Body.Close()
}

// A lock is also slow if it is held during the wait for a slow lock.
var first, second, third sync.Mutex

var _ = step.Map(func(in int) int {
	first.Lock() // want `Mutex..Lock blocks the loop`
	defer first.Unlock()
	return in
})

func firstThenSecond() {
	first.Lock()
	defer first.Unlock()
	second.Lock()
	second.Unlock()
}

func secondThenThird() {
	second.Lock()
	defer second.Unlock()
	third.Lock()
	third.Unlock()
}

func thirdThenFetch(url string) (*http.Response, error) {
	third.Lock()
	defer third.Unlock()
	return http.Get(url)
}
