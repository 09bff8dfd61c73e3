//go:build cgo

package cabi

// #include "foreign.h"
// #include "recorder.h"
import "C"

import (
	"context"
	"sync"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// visit is a stage of Go that a foreign engine is going to call.
type visit struct {
	begin func(*stay, *binval.Args)
	bag   *bag
}

var visits binval.Handles[visit]

// bag holds the stages that were added to one foreign run and not called yet. It is needed because a foreign engine doesn't report that
// it drops a step.
type bag struct {
	mu    sync.Mutex
	holds map[binval.Handle]struct{}
}

var bags binval.Handles[*bag]

//export ftngoNewBag
func ftngoNewBag() C.uintptr_t {
	return C.uintptr_t(bags.Put(&bag{holds: map[binval.Handle]struct{}{}}))
}

//export ftngoDropBag
func ftngoDropBag(handle C.uintptr_t) {
	b, ok := bags.Take(binval.Handle(handle))
	if !ok {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for h := range b.holds {
		visits.Take(h)
	}
}

func abroad(as Steps, begin func(*stay, *binval.Args)) error {
	if !as.Valid() {
		return errNotNow
	}
	var handle C.uintptr_t
	if C.ftn_abroad_bag(as.c(), &handle) == 0 {
		return errNotNow
	}
	b, ok := bags.Get(binval.Handle(handle))
	if !ok {
		return errNotNow
	}
	h := visits.Put(visit{begin, b})
	b.mu.Lock()
	b.holds[h] = struct{}{}
	b.mu.Unlock()
	C.ftn_abroad_add(as.c(), C.uintptr_t(h))
	return nil
}

// stay is a run of this engine inside a step of a foreign engine, on the loop of that engine.
type stay struct {
	of   *C.FutoInAsyncSteps
	tool *foreignTool
	run  *frame.Run

	waits  bool // the foreign step waits
	gone   bool // the foreign step has been cancelled
	over   bool
	err    error
	out    binval.Args
	handle binval.Handle
}

var stays binval.Handles[*stay]

//export ftngoVisit
func ftngoVisit(bsi *C.FutoInAsyncSteps, handle C.uintptr_t, args *C.FutoInArgs) {
	v, ok := visits.Take(binval.Handle(handle))
	x := &stay{of: bsi}
	if !ok {
		x.err, x.over = fault.New(fault.InternalError, "the step was called twice"), true
		x.answer()
		return
	}
	v.bag.mu.Lock()
	delete(v.bag.holds, binval.Handle(handle))
	v.bag.mu.Unlock()
	x.tool = newForeignTool(bsi)
	v.begin(x, (*binval.Args)(unsafe.Pointer(args)))
	if x.over {
		x.answer()
		return
	}
	x.waits = true
	x.tool.instance() // makes the instance now: bsi, which it is made from, isn't valid any more when the run goes on
	x.tool.lend(nil)
	x.handle = stays.Put(x)
	C.ftn_abroad_wait(bsi, C.uintptr_t(x.handle))
}

// visitor returns a function that runs a stage inside of a foreign step.
func visitor[In, Out any](s *plan.Stage[In, Out], in *binval.Codec[In], out *binval.Codec[Out]) func(*stay, *binval.Args) {
	return func(x *stay, a *binval.Args) {
		var inst *frame.Activation
		err := coded(func() error {
			var v In
			err := in.Decode(a, &v)
			if err == nil {
				inst, err = s.Root(v)
			}
			return err
		})
		if err != nil {
			dyn.Drop(x.tool.host, a) // a panic of Decode may have left values
			x.end(err)
			return
		}
		x.run = frame.NewRun(inst, &frame.Config{
			Context: context.Background(), Tool: x.tool,
			Owner: frame.Ended(func(r *frame.Run) {
				err := r.Result()
				if err == nil {
					v := plan.Outcome[Out](r)
					err = coded(func() (err error) {
						x.out, err = out.Encode(&v)
						return err
					})
				}
				r.Recycle()
				x.end(err)
			}),
		})
		x.run.Wake()
		x.run.Turn()
	}
}

// coded calls a codec, and returns its panic as an error. The panic must not pass the stack frames of the foreign engine, and there is no
// step of this engine that it could fail.
func coded(call func() error) (err error) {
	usercode.Protect(func() { err = call() }, func(broken error) {
		if broken != nil {
			err = fault.Wrap(fault.InternalError, "a codec of the stage: "+broken.Error(), broken)
		}
	})
	return err
}

// end records how the run has ended, and completes the foreign step if it waits. If the step was cancelled, end resets the result
// instead.
func (x *stay) end(err error) {
	x.over, x.err, x.run = true, err, nil
	defer x.tool.close()
	if !x.waits {
		return
	}
	stays.Take(x.handle)
	if x.gone {
		dyn.Drop(x.tool.host, &x.out)
	} else {
		x.answer()
	}
}

func (x *stay) answer() {
	if x.err == nil {
		C.ftn_abroad_success(x.of, (*C.FutoInArgs)(unsafe.Pointer(&x.out)))
		return
	}
	abroadError(x.of, x.err)
}

func abroadError(of *C.FutoInAsyncSteps, err error) {
	code := lend(fault.CodeOf(err).Error())
	defer C.ftn_free(code)
	var info C.uintptr_t
	if text := fault.InfoOf(err); text != "" {
		info = lend(text)
		defer C.ftn_free(info)
	}
	C.ftn_abroad_error(of, code, info)
}

// ftngoStayCancelled is called when the foreign step is cancelled. The run unwinds before the call returns, unless it has to wait for
// something, such as a goroutine. Then the rest of it unwinds later, on the foreign loop.
//
//export ftngoStayCancelled
func ftngoStayCancelled(handle C.uintptr_t) {
	x, ok := stays.Get(binval.Handle(handle))
	if !ok || x.run == nil {
		return
	}
	x.gone = true
	r := x.run
	r.Cancel(context.Canceled)
	r.Turn()
}
