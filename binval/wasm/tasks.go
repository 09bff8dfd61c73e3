package wasm

import (
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

type task struct {
	in       *instance
	number   uint32
	handle   tool.Handle
	data, cb uint32
	fn       func() // the method call, bound once to save allocations
}

// schedule makes the loop call back after d, or as an immediate if d is negative. It returns the number of the task; 0 if there is no
// callback, or the loop takes no more.
func (i *instance) schedule(d time.Duration, data, cb uint32) uint32 {
	if cb == 0 {
		return 0
	}
	i.hold()
	k := i.spare
	if i.spare = nil; k == nil {
		k = &task{in: i}
		k.fn = k.call
	}
	k.number, k.data, k.cb = i.ticket(), data, cb
	var err error
	if d < 0 {
		k.handle, err = i.tool.Immediate(k.fn)
	} else {
		k.handle, err = i.tool.Deferred(d, k.fn)
	}
	if err != nil {
		i.drop()
		i.tool.Host().Report(err)
		return 0
	}
	if i.tasks == nil {
		i.tasks = make(map[uint32]*task)
	}
	i.tasks[k.number] = k
	return k.number
}

func (k *task) call() {
	i := k.in
	if i.tasks[k.number] != k {
		return
	}
	i.forget(k)
	data, cb := k.data, k.cb
	i.spare = k
	err := i.callback(nil, func() { i.must(i.guest(opOne, cb, data, 0, 0)) })
	if err != nil && len(i.roots) > 0 { // without roots, only the step of the plan waits, and fails with err
		i.tool.Host().Report(err)
	}
}

func (i *instance) forget(k *task) {
	delete(i.tasks, k.number)
	i.drop()
}

func (i *instance) cancelTask(number uint32) {
	if k := i.tasks[number]; k != nil {
		i.forget(k)
		i.tool.Cancel(k.handle)
	}
}

func (i *instance) cancelTasks() {
	for number := range i.tasks {
		i.cancelTask(number)
	}
}
