package syncx

import (
	"container/list"
	"iter"
	"maps"
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/internal/mapkey"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// Keyed has a guard of its own for each key: a limit for each host, a breaker for each
// server. Make one with [PerKey], and sections of it with [SyncKeyed]. [Keyed.All] lists the guards.
//
// A guard is made when a section first asks for its key, and kept while sections are inside of it or wait for it. Guards
// that aren't in use are kept as well, since what they have counted matters, but no more of them than [Keyed.Keep] allows:
// mostly the one that was left the longest ago is dropped first. Its key gets a new guard when it is asked for again.
//
// Unless Keep is 0, an open [Breaker] isn't dropped before its pause is over, and one that was opened by [Breaker.Isolate]
// not before [Breaker.Reset]. Such breakers don't count for Keep, and a breaker whose pause is over may not count for a while
// either. This holds for a Breaker, for one in a [MaxWait], and for a guard that embeds a *Breaker; a Keyed can't look into
// other guards. A Breaker that is dropped doesn't call its OnChange. Other guards forget: a Throttle the entries of its
// window, so let more be kept than there are keys in a window.
//
// A Keyed is safe for concurrent use, by runs on any loops. It must not be copied. The
// zero Keyed isn't well formed.
//
//spec:ftn12 §1.11.3; rule G8
type Keyed[In any, K comparable] struct {
	key      func(In) K    // nil in the zero Keyed
	newGuard func(K) Guard // not nil if key isn't
	weight   func(In) int  // nil if each section weighs 1
	bad      string

	mu   sync.Mutex
	made map[K]*keyedGuard
	keep int       // the largest number of unused guards; negative: no limit
	idle list.List // of *keyedGuard: unused guards; the one that was left last is in front
	open list.List // of *keyedGuard: open breakers for which idle had no room; the one that was looked at last is in front
	busy int       // guards in use
}

const keepIdle = 1000

// PerKey makes a Keyed: key gives the key of a section's input, newGuard the guard of a key. Both are called on the loop of the
// run. Several loops may call newGuard for the same key at once; then only one of these guards is kept.
//
// Errors: if a function panics, or the key can't be compared, such as a slice in an interface, the section fails with
// fault.InternalError. If newGuard returns a guard that isn't well formed, or the key differs from itself, like NaN, the
// section fails with fault.InvalidRequest. If key or newGuard is nil, plans that use the Keyed can't be run, and
// flow.Plan.Err reports why.
//
//spec:ftn12 §1.11.3
func PerKey[In any, K comparable](key func(In) K, newGuard func(K) Guard) *Keyed[In, K] {
	k := &Keyed[In, K]{keep: keepIdle}
	if key == nil || newGuard == nil {
		k.bad = "PerKey: a function is nil"
		return k
	}
	k.key, k.newGuard, k.made = key, newGuard, make(map[K]*keyedGuard)
	return k
}

// Keep sets how many unused guards are kept, beside open breakers: 1000 by default; below zero there is no bound. It returns k.
// Call it before k is used.
//
// With 0, a guard that newGuard makes is dropped as soon as nobody is inside or waits, even an open Breaker: a Throttle
// or a Breaker then forgets what it has counted. Take 0 if the guards belong to something that
// lives longer, and newGuard only returns them:
//
//	syncx.PerKey(ofMessage, func(s *Session) syncx.Guard { return s.throttle }).Keep(0)
func (k *Keyed[In, K]) Keep(idle int) *Keyed[In, K] {
	k.keep = idle
	return k
}

// Guards returns how many guards are in use, and how many unused ones are kept. Any goroutine may call it.
func (k *Keyed[In, K]) Guards() (busy, idle int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.busy, k.idle.Len() + k.open.Len()
}

// All returns the guards that k has when a loop over All begins, in use or kept, each with its key and as newGuard has
// returned it, in no particular order:
//
//	for host, g := range breakers.All() {
//		fmt.Println(host, g.(*syncx.Breaker).State())
//	}
//
// A guard may be dropped while the loop goes on; then another one may be made for its key. The body of the loop may do whatever it
// likes, such as SetLimits of a guard. Any goroutine may call All, and use the result, at the same time as others.
func (k *Keyed[In, K]) All() iter.Seq2[K, Guard] {
	return func(yield func(K, Guard) bool) {
		k.mu.Lock()
		all := maps.Clone(k.made) // because yield may need the lock
		k.mu.Unlock()
		for key, g := range all {
			if !yield(key, g.made) {
				return
			}
		}
	}
}

// SyncKeyed is [Sync] with the guard of the key of the input.
//
//spec:ftn12 §1.11.3
func SyncKeyed[In, Out any, K comparable](k *Keyed[In, K], s step.Step[In, Out]) flow.Plan[In, Out] {
	bad := "SyncKeyed: the Keyed was not made by PerKey"
	var choose func(In) (*guard.Guard, error)
	var weight func(In) int
	if k != nil && (k.key != nil || k.bad != "") {
		bad, choose, weight = k.bad, k.guardOf, k.weight
	}
	section := op.SyncBy(guard.Guard{Key: k}, choose, weight, bad, op.Given(s, "SyncKeyed: the stage is nil"))
	section.Node().Tell(func() []plan.Parameter { return []plan.Parameter{plan.Set("guard", "one for each key")} })
	return flow.Of(section)
}

// keyedGuard is a guard of a Keyed. The lock of the Keyed guards uses and unused; the other fields don't change.
type keyedGuard struct {
	made    Guard       // as newGuard has returned it
	guard   guard.Guard // made, with a call of release at the end of each use
	breaker pauser      // nil for a guard of another kind
	drop    func()
	uses    int           // number of sections that ask the guard, wait for it, or are inside
	unused  *list.Element // of Keyed.idle or Keyed.open; nil while it is used
}

// pauser is implemented by Breaker and by guards that embed a *Breaker.
type pauser interface{ pausing(host *tool.Host) bool }

func (g *keyedGuard) pausing(c *guard.Ticket) bool {
	return g.breaker != nil && g.breaker.pausing(host(c))
}

func (k *Keyed[In, K]) guardOf(in In) (*guard.Guard, error) {
	key := k.key(in)
	if err := mapkey.Check(key); err != nil {
		return nil, err
	}
	k.mu.Lock()
	g := k.made[key]
	if g != nil {
		k.use(g)
		k.mu.Unlock()
		return &g.guard, nil
	}
	k.mu.Unlock()
	made := k.newGuard(key) // without the lock, because it is code of the user
	asked, bad := asked(made)
	if bad == "" && k.weight != nil {
		bad = weigh(&asked, made)
	}
	if bad != "" {
		return nil, fault.New(fault.InvalidRequest, "PerKey: "+bad)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if g = k.made[key]; g == nil {
		g = &keyedGuard{made: made, drop: func() { delete(k.made, key) }}
		g.breaker, _ = guard.Unwrap(made).(pauser)
		g.guard = k.counted(asked, g)
		k.made[key] = g
		k.busy++
		g.uses++
	} else {
		k.use(g)
	}
	return &g.guard, nil
}

func (k *Keyed[In, K]) use(g *keyedGuard) {
	if g.uses++; g.unused != nil {
		k.idle.Remove(g.unused) // does nothing if it is in the other list
		k.open.Remove(g.unused)
		g.unused = nil
		k.busy++
	}
}

// counted returns own with a call of release at the end of each use.
func (k *Keyed[In, K]) counted(own guard.Guard, g *keyedGuard) guard.Guard {
	enter, leave, withdraw := own.Enter, own.Leave, own.Withdraw
	own.Enter = func(c *guard.Ticket) (entered bool, err error) {
		returned := false
		defer func() {
			if err != nil || !returned {
				k.release(g, c)
			}
		}()
		entered, err = enter(c)
		returned = true
		return entered, err
	}
	own.Leave = func(c *guard.Ticket) {
		defer k.release(g, c)
		leave(c)
	}
	own.Withdraw = func(c *guard.Ticket) {
		defer k.release(g, c)
		withdraw(c)
	}
	return own
}

func (k *Keyed[In, K]) release(g *keyedGuard, c *guard.Ticket) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if g.uses--; g.uses > 0 {
		return
	}
	k.busy--
	g.unused = k.idle.PushFront(g)
	k.review(c)
	for k.keep >= 0 && k.idle.Len() > k.keep {
		last, _ := k.idle.Remove(k.idle.Back()).(*keyedGuard)
		if k.keep > 0 && last.pausing(c) {
			last.unused = k.open.PushFront(last)
		} else {
			last.drop()
		}
	}
}

// review moves breakers whose pauses are over from open to idle. It looks at two only, because there may be thousands. That
// suffices: at most one is added for each call.
func (k *Keyed[In, K]) review(c *guard.Ticket) {
	for range min(2, k.open.Len()) {
		last := k.open.Back()
		if g, _ := last.Value.(*keyedGuard); g.pausing(c) {
			k.open.MoveToFront(last)
		} else {
			k.open.Remove(last)
			g.unused = k.idle.PushBack(g)
		}
	}
}
