// Command mixed has the engine of this module and the C++ reference implementation
// in one program: stages of Go in flows of C++, steps of C++ in plans of Go, and the
// guards of each in flows of the other.
//
//	mixed -list, or mixed NAME, or mixed for all
package main

// #cgo CFLAGS: -I../../../../binval/cabi
// #cgo CXXFLAGS: -std=c++14 -I../../../../binval/cabi
// #include <stdlib.h>
// #include "engine.h"
import "C"

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/cabi"
)

// cases holds the tests by their names. Each returns an error if the result is wrong.
var cases = map[string]func() error{}

func main() {
	names := make([]string, 0, len(cases))
	for name := range cases {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch {
		case len(os.Args) > 1 && os.Args[1] == "-list":
			fmt.Println(name)
		case len(os.Args) == 1 || os.Args[1] == name:
			err := cases[name]()
			if err == nil && cabi.Live() != 0 {
				err = fmt.Errorf("%d pointers are still alive", cabi.Live())
			}
			if err != nil {
				fmt.Println(name, err)
				os.Exit(1)
			}
		}
	}
}

// listener keeps the words that a flow of C++ reports.
type listener struct {
	mu    sync.Mutex
	words []string
	ended chan string
}

var listeners binval.Handles[*listener]

// listen calls start, which begins a flow of C++, and waits until the flow has ended. told identifies the listener in the
// calls of goTold by which the flow reports.
func listen(start func(told C.uintptr_t)) (words []string, code string) {
	l := &listener{ended: make(chan string, 1)}
	h := listeners.Put(l)
	defer listeners.Take(h)
	start(C.uintptr_t(h))
	code = <-l.ended
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.words, code
}

//export goTold
func goTold(told C.uintptr_t, text *C.char, end C.int) {
	l, ok := listeners.Get(binval.Handle(told))
	if !ok {
		return
	}
	if end != 0 {
		l.ended <- C.GoString(text)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.words = append(l.words, C.GoString(text))
}

// stages adds stages of Go to steps of C++.
type stages func(as cabi.Steps) error

var added binval.Handles[stages]

//export goStages
func goStages(bsi *C.FutoInAsyncSteps, number C.uintptr_t) {
	as, err := cabi.Wrap(unsafe.Pointer(bsi))
	if err == nil && !as.Foreign() {
		err = fmt.Errorf("a pointer of C++ is taken for one of ours")
	}
	add, ok := added.Get(binval.Handle(number))
	if err == nil && ok {
		err = add(as)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// engine makes an engine of C++, in which run starts a flow that calls add for stages of ours. It returns what the flow
// has reported.
func engine(add stages, run func(e *C.engine, stages, told C.uintptr_t)) (words []string, code string) {
	h := added.Put(add)
	defer added.Take(h)
	e := C.engine_new()
	defer C.engine_free(e)
	return listen(func(told C.uintptr_t) { run(e, C.uintptr_t(h), told) })
}
