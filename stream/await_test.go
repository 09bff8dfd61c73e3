package stream_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
)

func doubleAwait(_ context.Context, v int) (int, error) { return 2 * v, nil }

func TestAwait(t *testing.T) {
	for _, b := range []stream.Bound{{Limit: 1}, {Limit: 2, Buffer: 256}, {Limit: 3, Buffer: 1}, {Limit: 40, Buffer: 1000}} {
		got, err := flow.Run(t.Context(), stream.Collect(stream.Await(stream.Slice[int](), b, doubleAwait)), plantest.Ints(3000))
		if err != nil {
			t.Fatal(err)
		}
		wantInts(t, got, doubledInts(3000)...)
		b.Unordered = true
		got, err = flow.Run(t.Context(), stream.Collect(stream.Await(stream.Slice[int](), b, doubleAwait)), plantest.Ints(3000))
		slices.Sort(got)
		wantInts(t, got, doubledInts(3000)...)
		if err != nil {
			t.Error(err)
		}
	}
}

func TestAwaitFails(t *testing.T) {
	f := func(_ context.Context, v int) (int, error) {
		if v == 5 {
			panic("five")
		}
		return even(v)
	}
	s := stream.Await(stream.Slice[int](), stream.Bound{Limit: 2, Buffer: 100}, f)
	seen := 0
	_, err := flow.Run(t.Context(), stream.ForEach(s, func(int) error { seen++; return nil }), []int{0, 2, 3, 4})
	if elementOf(t, err) != 3 || seen != 2 {
		t.Errorf("%d elements, %v", seen, err)
	}
	var l letterRecorder
	got, err := flow.Run(t.Context(), stream.Collect(stream.Catch(s, l.take)), plantest.Ints(7))
	wantInts(t, got, 0, 2, 4, 6)
	l.want(t, "1 Odd", "3 Odd", "5 InternalError")
	if err != nil {
		t.Error(err)
	}
}

// After handling single elements, a stage handles as many at a time as its limit allows.
func TestAwaitReachesItsLimitAfterAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 4
		source := make(chan int)
		var at atomic.Int32
		together := make(chan struct{})
		s := stream.Await(stream.Chan[int](1), stream.Bound{Limit: limit}, func(ctx context.Context, v int) (int, error) {
			if v == 0 {
				return v, nil
			}
			if at.Add(1) == limit {
				close(together)
			}
			select {
			case <-together:
				return v, nil
			case <-ctx.Done():
				return v, ctx.Err()
			}
		})
		loop := tool.Start(tool.Options{})
		run := flow.Start(t.Context(), loop, flow.Timeout(time.Second, stream.Count(s)), source)
		for range 3 {
			source <- 0
			synctest.Wait()
		}
		for range limit {
			source <- 1
		}
		close(source)
		if n, err := run.Wait(t.Context()); n != 3+limit || err != nil {
			t.Errorf("%d, %v; %d elements at once, want %d", n, err, at.Load(), limit)
		}
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// If f ends its goroutine, that is the error of one element. Another goroutine takes the rest of its piece.
func TestAwaitGoexit(t *testing.T) {
	for _, b := range []stream.Bound{{Limit: 1}, {Limit: 2, Buffer: 100}, {Limit: 3, Unordered: true}} {
		s := stream.Await(stream.Slice[int](), b, func(_ context.Context, v int) (int, error) {
			if v%3 == 0 {
				runtime.Goexit()
			}
			return v, nil
		})
		var l letterRecorder
		got, err := flow.Run(t.Context(), stream.Collect(stream.Catch(s, l.take)), plantest.Ints(30))
		slices.Sort(got)
		if err != nil || len(got) != 20 || got[19] != 29 || len(l.all) != 10 {
			t.Errorf("%+v: %v, %v, %v", b, got, l.all, err)
		}
		if _, err := flow.Run(t.Context(), stream.Count(s), []int{1, 3}); elementOf(t, err) != 3 || !errors.Is(err, fault.InternalError) {
			t.Errorf("%+v: got %v", b, err)
		}
	}
}

func TestAwaitBeginsWhenNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan step.Unit)
		s := stream.Await(stream.Slice[int](), stream.Bound{Limit: 1000}, func(_ context.Context, v int) (int, error) {
			<-release
			return v, nil
		})
		before := runtime.NumGoroutine()
		done := make(chan error)
		go func() {
			_, err := flow.Run(t.Context(), stream.Count(s), plantest.Ints(3))
			done <- err
		}()
		synctest.Wait()
		if n := runtime.NumGoroutine() - before; n > 1+3 {
			t.Errorf("%d goroutines for three elements", n)
		}
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// The stage holds as many elements as its bound allows, and as many goroutines as its limit work on them.
func TestAwaitBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan step.Unit)
		var given, inside atomic.Int64
		s := stream.Await(stream.Generate(1, countingGenerator(&given)), stream.Bound{Limit: 4, Buffer: 3}, func(_ context.Context, v int) (int, error) {
			inside.Add(1)
			<-release
			return v, nil
		})
		done := make(chan error)
		go func() {
			_, err := flow.Run(t.Context(), stream.Count(s), 100)
			done <- err
		}()
		synctest.Wait()
		if g, i := given.Load(), inside.Load(); g != 8 || i != 4 {
			t.Errorf("%d given, %d inside, want 1+4+3 and 4", g, i)
		}
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestAwaitCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l letterRecorder
		s := stream.Catch(stream.Await(stream.Slice[int](), stream.Bound{Limit: 2, Buffer: 2}, func(ctx context.Context, v int) (int, error) {
			<-ctx.Done()
			return v, nil
		}), l.take)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := flow.Run(ctx, stream.Count(s), plantest.Ints(10))
			done <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, fault.Cancelled) {
			t.Errorf("got %v", err)
		}
		l.want(t, "0 Cancelled", "1 Cancelled", "2 Cancelled", "3 Cancelled")
	})
}

func TestAwaitEndsEarly(t *testing.T) {
	var calls atomic.Int64
	s := stream.Await(stream.Slice[int](), stream.Bound{Limit: 2, Buffer: 8}, func(_ context.Context, v int) (int, error) {
		calls.Add(1)
		return v, nil
	})
	got, err := flow.Run(t.Context(), stream.Collect(stream.Take(s, 3)), plantest.Ints(1000))
	wantInts(t, got, 0, 1, 2)
	if err != nil || calls.Load() > 20 {
		t.Errorf("%v, %d calls", err, calls.Load())
	}
}

// One of the waiting goroutines watches for the end of the stream. The others end too, even if f has ended that
// goroutine or it returns first.
func TestAwaitEndsThoseThatWait(t *testing.T) {
	for range 300 {
		s := stream.Await(stream.Slice[int](), stream.Bound{Limit: 3, Unordered: true}, func(_ context.Context, v int) (int, error) {
			if v == 3 {
				runtime.Goexit()
			}
			return v, nil
		})
		_, err := flow.Run(t.Context(), stream.Count(s), plantest.Ints(4))
		if elementOf(t, err) != 3 {
			t.Fatal(err)
		}
	}
}

// With results in any order and a cancel at any point, each element taken is delivered or has one letter, and the
// run ends. The schedules are drawn: a search of all schedules needs a body that does the same each time, but a
// goroutine that the loop ends may report during the same callback or after it.
func TestAwaitDrawnSchedules(t *testing.T) {
	trials := 5000
	if delays() < 2 {
		trials = 200
	}
	for _, unordered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := explore.Drawn(1, trials, func(x *explore.Trial) error {
				results := map[int]chan step.Unit{}
				var mu sync.Mutex // guards results
				work := func(ctx context.Context, v int) (int, error) {
					mu.Lock()
					result := make(chan step.Unit)
					results[v] = result
					mu.Unlock()
					select {
					case <-result:
					case <-ctx.Done():
					}
					return even(v)
				}
				var f elementFates
				s := stream.Await(f.source(), stream.Bound{Limit: 2, Buffer: 1, Unordered: unordered}, work)
				run := explore.Start(t.Context(), x, stream.ForEach(stream.Catch(s, f.letter), f.deliver), plantest.Ints(4))
				cancelled := false
				err := x.Drive(func() (offered []explore.Action) {
					synctest.Wait()
					mu.Lock()
					defer mu.Unlock()
					for _, v := range slices.Sorted(maps.Keys(results)) {
						offered = append(offered, explore.Action{Name: "result", Do: func() {
							mu.Lock()
							defer mu.Unlock()
							close(results[v])
							delete(results, v)
						}})
					}
					if _, err := run.Result(); !cancelled && errors.Is(err, flow.ErrRunning) {
						offered = append(offered, explore.Action{Name: "cancel", Do: func() {
							cancelled = true
							run.Cancel(nil)
							mu.Lock()
							defer mu.Unlock()
							clear(results)
						}})
					}
					return offered
				})
				if err != nil {
					return err
				}
				_, err = run.Result()
				return f.check(err, cancelled, 4)
			})
			if f := r.Failure; f != nil {
				t.Fatalf("unordered %v, schedule %v, %q: %v", unordered, f.Schedule, f.Notes, f.Err)
			}
		})
	}
}

// elementFates records what happens to the elements of a slice.
type elementFates struct {
	taken, delivered, lettered []int
}

func (f *elementFates) source() stream.Stream[[]int, int] {
	return stream.Map(stream.Slice[int](), func(v int) int {
		f.taken = append(f.taken, v)
		return v
	})
}

func (f *elementFates) deliver(v int) error {
	f.delivered = append(f.delivered, v)
	return nil
}

func (f *elementFates) letter(err error) error {
	if letter, ok := fault.AsType[*stream.Letter[int]](err); ok {
		f.lettered = append(f.lettered, letter.Element)
		return nil
	}
	return err
}

// check returns nil if the run with the result err has ended as it should: each element taken was delivered or has one
// letter, and without an error all n elements were taken. A run that wasn't cancelled must not fail.
func (f *elementFates) check(err error, cancelled bool, n int) error {
	if errors.Is(err, flow.ErrRunning) || err != nil && !cancelled {
		return err
	}
	ended := slices.Sorted(slices.Values(slices.Concat(f.delivered, f.lettered)))
	if !slices.Equal(ended, f.taken) || err == nil && len(ended) != n {
		return fmt.Errorf("taken %v, delivered %v, letters %v", f.taken, f.delivered, f.lettered)
	}
	return nil
}

// V1: an element that has failed has a letter with its own error, also if the stream ends before the elements that its
// goroutine has taken with it are done.
func TestV1AwaitEndsWithAPieceUnderWay(t *testing.T) {
	for name, breaks := range map[string]func() error{
		"error":  func() error { return errOdd },
		"panic":  func() error { panic("oops") },
		"Goexit": func() error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := stream.Await(stream.Slice[int](), stream.Bound{Limit: 1, Buffer: 100}, func(ctx context.Context, v int) (int, error) {
					switch v {
					case 30:
						return v, breaks()
					case 31:
						<-ctx.Done()
						return v, ctx.Err()
					}
					return v, nil
				})
				var own, lost []int
				s = stream.Catch(s, func(letter *stream.Letter[int]) error {
					if letter.Lost {
						lost = append(lost, letter.Element)
					} else {
						own = append(own, letter.Element)
					}
					return nil
				})
				_, err := flow.Run(t.Context(), flow.Timeout(time.Second, stream.Count(s)), plantest.Ints(100))
				plantest.WantCode(t, err, fault.Timeout)
				if !slices.Equal(own, []int{30}) || !slices.Contains(lost, 31) || slices.Contains(lost, 30) {
					t.Errorf("with errors of their own %v, lost %v", own, lost)
				}
			})
		})
	}
}
