package private

import (
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/queue"
	"github.com/futoin-go/asyncsteps/tool"
)

// Wakeup makes the loop of a run take a turn, so that the goroutine that drives the loop asks again whether it may stop. Call
// [Wakeup.Init] first.
type Wakeup struct {
	loop   drive.Loop
	posted atomic.Bool // item is queued, and its turn hasn't begun
	item   queue.Item
}

// Init sets the loop.
func (w *Wakeup) Init(loop *tool.Manual) {
	w.loop, _ = drive.Of(loop)
	w.item.Init((*wakeupTurn)(w))
}

// Post makes the loop take a turn after this call. Any goroutine may call Post, also when the loop has ended.
func (w *Wakeup) Post() {
	if !w.posted.Swap(true) {
		_ = w.loop.Post(&w.item) // refused when the loop has ended
	}
}

// wakeupTurn is a Wakeup as a queue.Runner. Its turn does nothing but allow the next Post.
type wakeupTurn Wakeup

// Turn implements [queue.Runner].
func (w *wakeupTurn) Turn() { w.posted.Store(false) }
