package retry

import (
	"math"
	"strconv"
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
)

// ErrBudget is a Secondary error of a retry that has failed because its [Budget] allows no
// further attempt just now. It has a code of its own, so that handlers of other codes don't
// match it.
var ErrBudget = fault.New("RetryBudget", "the retry budget allows no further attempt")

// Budget bounds how many further attempts there are at one time, as a share of the calls at
// that time. Without a budget, a server that fails gets several times its usual load from the
// retries.
//
// A call counts from the beginning of its first attempt until the retry has ended. A further
// attempt counts from the decision to make it until it has ended, with the pause before it. If
// the budget is exhausted when an attempt fails, no other attempt follows: the retry fails with
// that error and [ErrBudget]. Attempts that run go on.
//
// Keep one Budget for all plans that call the same server. It is safe for concurrent use, by
// runs on any loops. It must not be copied. The zero Budget isn't well formed: use
// [NewBudget].
type Budget struct{ b budget }

// NewBudget makes a Budget that allows share further attempts for each call: with 0.2 one for
// five calls. At least floor further attempts are allowed at a time, however few calls there
// are. If share or floor is below zero, or share isn't a finite number, the Budget isn't well
// formed: plans that use it can't be run, and flow.Plan.Err reports why, as
// fault.InvalidRequest.
//
//spec:ftn12 §1.11
func NewBudget(share float64, floor int) *Budget {
	return &Budget{budget{share: share, floor: floor, made: true}}
}

// InUse returns how many calls are under way, and how many further attempts run or
// wait for their pause to end. Any goroutine may call it.
func (b *Budget) InUse() (calls, retries int) {
	b.b.mu.Lock()
	defer b.b.mu.Unlock()
	return b.b.calls, b.b.retries
}

// budget implements op.Budget for a Budget.
type budget struct {
	share float64
	floor int
	made  bool

	mu      sync.Mutex
	calls   int
	retries int
}

func (b *budget) bad() string {
	switch {
	case !b.made:
		return "the Budget was not made by NewBudget"
	case !(b.share >= 0 && b.share <= math.MaxFloat64):
		return "the share of a Budget must be a number that isn't below zero, got " + number(b.share)
	case b.floor < 0:
		return "the floor of a Budget is below zero: " + strconv.Itoa(b.floor)
	default:
		return ""
	}
}

// Enter implements op.Budget.
func (b *budget) Enter() { b.add(1, 0) }

// Leave implements op.Budget.
func (b *budget) Leave() { b.add(-1, 0) }

// Give implements op.Budget.
func (b *budget) Give() { b.add(0, -1) }

func (b *budget) add(calls, retries int) {
	b.mu.Lock()
	b.calls += calls
	b.retries += retries
	b.mu.Unlock()
}

// Take implements op.Budget.
func (b *budget) Take() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.retries >= b.floor && float64(b.retries+1)/float64(b.calls) > b.share {
		return ErrBudget
	}
	b.retries++
	return nil
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
