package laws_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// sharer is a run that asks for a key, and goes away after some time.
type sharer struct {
	at, leaves time.Duration
	key        string
}

// sharers draws runs that ask at multiples of four milliseconds and leave one millisecond after such a multiple. Loads and
// lifetimes of the Memo end two milliseconds after one, so that they coincide with neither.
func sharers(rt *rapid.T) []sharer {
	all := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) sharer {
		at := time.Duration(4*rapid.IntRange(0, 30).Draw(rt, "at")) * time.Millisecond
		stays := time.Duration(4*rapid.SampledFrom([]int{0, 1, 2, 3, 9, 9, 9}).Draw(rt, "stays")+1) * time.Millisecond
		return sharer{at, at + stays, rapid.SampledFrom([]string{"a", "b", "c", "bad"}).Draw(rt, "key")}
	}), 0, 30).Draw(rt, "sharers")
	slices.SortStableFunc(all, func(a, b sharer) int { return cmp.Compare(a.at, b.at) })
	return all
}

const loadTakes = 14 * time.Millisecond

// sharing is the loop of runs that share a Memo or a Batch, with a log of what happens.
type sharing struct {
	loop *tooltest.Loop
	log  []string
}

func (w *sharing) note(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%d ", w.loop.Now()/time.Millisecond)+fmt.Sprintf(format, args...))
}

func (w *sharing) play(get flow.Plan[string, string], all []sharer) {
	for i, s := range all {
		_, _ = w.loop.Deferred(s.at, func() {
			run := flow.Start(context.Background(), w.loop, get, s.key)
			run.Then(func(v string, err error) {
				if err != nil {
					v = string(fault.CodeOf(err))
				}
				w.note("%d: %s", i, v)
			})
			_, _ = w.loop.Deferred(s.leaves-s.at, func() { run.Cancel(nil) })
		})
	}
	w.loop.Run()
}

// compare compares the log with want; things at the same time may have any order.
func (w *sharing) compare(rt *rapid.T, want []string) {
	slices.Sort(w.log)
	slices.Sort(want)
	if !slices.Equal(w.log, want) {
		rt.Fatalf("got\n  %s\nwant\n  %s", strings.Join(w.log, "\n  "), strings.Join(want, "\n  "))
	}
}

// Law 65. A Memo loads a key once for the runs that ask during the load, keeps its value as the policy says, and cancels a
// load that no run waits for.
func TestM1MemoIsItsPolicy(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		policy := share.MemoPolicy{
			Lifetime: time.Duration(rapid.SampledFrom([]int{-1, 0, 4, 20, 60}).Draw(rt, "lifetime")) * time.Millisecond,
			Size:     rapid.IntRange(1, 3).Draw(rt, "size"),
		}
		if rapid.Bool().Draw(rt, "errors") {
			policy.KeepErrors = func(error) bool { return true }
		}
		all := sharers(rt)
		w := &sharing{loop: tooltest.New()}
		w.play(share.NewMemo(policy, step.New(func(as step.Scope, k string) step.Next[string] {
			w.note("load %s", k)
			failed := false
			as.SetCancel(func() {
				if !failed { // E1: the hook is called after an error too
					w.note("drop %s", k)
				}
			})
			return step.Wait(as, func(done step.Done[string]) {
				_, _ = w.loop.Deferred(loadTakes, func() {
					if k == "bad" {
						failed = true
						done.Fail(fault.CommError)
					} else {
						done.Succeed(k)
					}
				})
			})
		})).Get(), all)
		w.compare(rt, memoSays(policy, all))
	})
}

// memoSays computes the expected log of a Memo, millisecond by millisecond.
func memoSays(p share.MemoPolicy, all []sharer) (log []string) {
	type loading struct {
		ends time.Duration
		by   []int
	}
	type value struct {
		key  string
		ends time.Duration
	}
	var recent []value // the one asked for last is at the end
	loads := map[string]*loading{}
	var order []string // of the loads
	answer := map[string]string{"a": "a", "b": "b", "c": "c", "bad": "CommError"}
	for now := time.Duration(0); now < time.Second; now += time.Millisecond {
		note := func(format string, args ...any) {
			log = append(log, fmt.Sprintf("%d ", now/time.Millisecond)+fmt.Sprintf(format, args...))
		}
		for _, key := range slices.Clone(order) {
			l := loads[key]
			if l.ends != now {
				continue
			}
			order = order[1:] // all loads take the same time
			delete(loads, key)
			for _, i := range l.by {
				note("%d: %s", i, answer[key])
			}
			if p.Lifetime != 0 && (key != "bad" || p.KeepErrors != nil) {
				recent = append(recent, value{key, now + p.Lifetime})
				recent = recent[max(0, len(recent)-p.Size):]
			}
		}
		for i, s := range all {
			if l := loads[s.key]; s.leaves == now && l != nil && slices.Contains(l.by, i) {
				note("%d: Cancelled", i)
				l.by = slices.DeleteFunc(l.by, func(j int) bool { return j == i })
				if len(l.by) == 0 {
					note("drop %s", s.key)
					delete(loads, s.key)
					order = slices.DeleteFunc(order, func(k string) bool { return k == s.key })
				}
			}
		}
		for i, s := range all {
			if s.at != now {
				continue
			}
			at := slices.IndexFunc(recent, func(v value) bool { return v.key == s.key })
			if at >= 0 && p.Lifetime > 0 && recent[at].ends <= now {
				recent = slices.Delete(recent, at, at+1)
				at = -1
			}
			if at >= 0 {
				note("%d: %s", i, answer[s.key])
				v := recent[at]
				recent = append(slices.Delete(recent, at, at+1), v)
				continue
			}
			if loads[s.key] == nil {
				note("load %s", s.key)
				loads[s.key] = &loading{ends: now + loadTakes}
				order = append(order, s.key)
			}
			loads[s.key].by = append(loads[s.key].by, i)
		}
	}
	return log
}

// Law 66. A Batch loads the keys of a window together, each once, and no more than allowed. Each run gets the answer to its
// key.
func TestM7BatchIsItsPolicy(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		policy := share.BatchPolicy{
			Window: time.Duration(rapid.SampledFrom([]int{2, 6, 10, 30}).Draw(rt, "window")) * time.Millisecond,
			Most:   rapid.IntRange(0, 3).Draw(rt, "most"),
		}
		all := sharers(rt)
		w := &sharing{loop: tooltest.New()}
		w.play(share.NewBatch(policy, step.New(func(as step.Scope, keys []string) step.Next[[]share.Answer[string]] {
			w.note("load %v", keys)
			as.SetCancel(func() { w.note("drop %v", keys) })
			return step.Wait(as, func(done step.Done[[]share.Answer[string]]) {
				_, _ = w.loop.Deferred(loadTakes+2*time.Millisecond, func() {
					var answers []share.Answer[string]
					for _, k := range keys {
						a := share.Answer[string]{Value: k}
						if k == "bad" {
							a.Err = fault.CommError
						}
						answers = append(answers, a)
					}
					done.Succeed(answers)
				})
			})
		})).Get(), all)
		w.compare(rt, batchSays(policy, all))
	})
}

// batchSays computes the expected log of a Batch, millisecond by millisecond.
func batchSays(p share.BatchPolicy, all []sharer) (log []string) {
	type batch struct {
		keys         []string
		by           []int
		begins, ends time.Duration
	}
	var next *batch
	var loads []*batch
	answer := map[string]string{"a": "a", "b": "b", "c": "c", "bad": "CommError"}
	for now := time.Duration(0); now < time.Second; now += time.Millisecond {
		note := func(format string, args ...any) {
			log = append(log, fmt.Sprintf("%d ", now/time.Millisecond)+fmt.Sprintf(format, args...))
		}
		begin := func() {
			note("load %v", next.keys)
			next.ends = now + loadTakes + 2*time.Millisecond
			loads = append(loads, next)
			next = nil
		}
		loads = slices.DeleteFunc(loads, func(b *batch) bool {
			if b.ends != now {
				return false
			}
			for _, i := range b.by {
				note("%d: %s", i, answer[all[i].key])
			}
			return true
		})
		if next != nil && next.begins == now {
			begin()
		}
		for i, s := range all {
			if s.leaves != now {
				continue
			}
			loads = slices.DeleteFunc(loads, func(b *batch) bool {
				if !slices.Contains(b.by, i) {
					return false
				}
				note("%d: Cancelled", i)
				if b.by = slices.DeleteFunc(b.by, func(j int) bool { return j == i }); len(b.by) == 0 {
					note("drop %v", b.keys)
					return true
				}
				return false
			})
			if next != nil && slices.Contains(next.by, i) {
				note("%d: Cancelled", i)
				if next.by = slices.DeleteFunc(next.by, func(j int) bool { return j == i }); len(next.by) == 0 {
					next = nil
				}
			}
		}
		for i, s := range all {
			if s.at != now {
				continue
			}
			if next == nil {
				next = &batch{begins: now + p.Window}
			}
			next.by = append(next.by, i)
			if !slices.Contains(next.keys, s.key) {
				next.keys = append(next.keys, s.key)
			}
			if p.Most > 0 && len(next.keys) == p.Most {
				begin()
			}
		}
	}
	return log
}
