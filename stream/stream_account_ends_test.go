package stream_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

// produce yields the numbers below n, and fails for the bad element.
func (a *elementLog) produce(n int, yield func(int) bool) error {
	a.open++
	defer func() { a.open-- }()
	for v := range n {
		if err := a.works(v); err != nil {
			return err
		}
		if !yield(v) {
			return nil
		}
	}
	return nil
}

// lineReader is a reader with the elements as lines.
type lineReader struct {
	a     *elementLog
	lines int
}

func (p *lineReader) Read(text []byte) (int, error) {
	if err := p.a.works(p.lines); err != nil {
		return 0, err
	}
	if p.lines == p.a.n {
		return 0, io.EOF
	}
	p.lines++
	return copy(text, strconv.Itoa(p.lines-1)+"\n"), nil
}

func number(line string) int {
	v, _ := strconv.Atoi(strings.TrimSpace(line))
	return v
}

// sources holds a stream for each source of the package but Fed, with the elements 0, 1, 2, ….
var sources = map[string]struct {
	of      func(a *elementLog) stream.Stream[int, int]
	cantEnd bool // no function of the user in it can fail
}{
	"Slice": {func(*elementLog) stream.Stream[int, int] { return stream.Input(plantest.Ints, stream.Slice[int]()) }, true},
	"Seq": {func(a *elementLog) stream.Stream[int, int] {
		return stream.Input(func(n int) iter.Seq[int] {
			return func(yield func(int) bool) {
				if err := a.produce(n, yield); err != nil {
					panic(err)
				}
			}
		}, stream.Seq[int]())
	}, false},
	"Seq2": {func(a *elementLog) stream.Stream[int, int] {
		return stream.Input(func(n int) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) {
				if err := a.produce(n, func(v int) bool { return yield(v, nil) }); err != nil {
					yield(0, err)
				}
			}
		}, stream.Seq2[int]())
	}, false},
	"Chan": {func(*elementLog) stream.Stream[int, int] {
		return stream.Input(func(n int) <-chan int { // never closed
			c := make(chan int, n)
			for v := range n {
				c <- v
			}
			return c
		}, stream.Chan[int](2))
	}, true},
	"Generate": {func(a *elementLog) stream.Stream[int, int] {
		return stream.Generate(2, func(_ context.Context, n int, yield func(int) bool) error { return a.produce(n, yield) })
	}, false},
	"Lines": {func(a *elementLog) stream.Stream[int, int] {
		return stream.Map(stream.Input(func(int) io.Reader { return &lineReader{a: a} }, stream.Lines[io.Reader](2)), number)
	}, false},
	"Records": {func(a *elementLog) stream.Stream[int, int] {
		return stream.Map(stream.Input(func(int) io.Reader { return &lineReader{a: a} }, stream.Records[io.Reader](2, bufio.ScanLines)), number)
	}, false},
	"Pages": {func(a *elementLog) stream.Stream[int, int] {
		page := step.Func(func(as step.Scope, at int) (stream.Page[int, int], error) {
			a.open++
			step.StackCleanup(as, func(*int) { a.open-- })
			return stream.Page[int, int]{Items: []int{at, at + 1}, Next: at + 2, More: true}, a.works(at)
		})
		return stream.Input(func(int) int { return 0 }, stream.Pages(flow.Then(step.Delay[int](time.Second/4), page)))
	}, false},
	"Ticks": {func(*elementLog) stream.Stream[int, int] {
		n := -1
		return stream.Map(stream.Ticks[int](time.Millisecond), func(time.Time) int { n++; return n })
	}, true},
}

// C1, V1: however a stream ends, its source is stopped, and each element that the source has given is
// delivered or has one letter.
func TestC1SourcesAreStopped(t *testing.T) {
	for name, source := range sources {
		for _, way := range ways {
			if way.fails && (source.cantEnd || way.dead && !way.quits) { // a source that fails ends the stream, also if a Catch takes letters
				continue
			}
			t.Run(name+", "+way.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					a := &elementLog{n: way.n, bad: -1, exits: way.exits, quits: way.quits}
					if way.fails {
						a.bad = 4
					}
					var p stream.Progress
					s := stream.Take(stream.Catch(stream.Measure(source.of(a), &p), a.take), way.take)
					s = stream.Map(s, func(v int) int { a.delivered = append(a.delivered, v); return v })
					slow := stream.Through(s, stream.Bound{Limit: 1}, step.Delay[int](300*time.Millisecond))
					err := a.run(t, stream.Count(slow), way.cancel, way.limit, nil)
					if !errors.Is(err, way.err) && !way.exits && !way.quits { // the source may have ended the stream first
						t.Fatalf("ended with %v, want %v", err, way.err)
					}
					a.asked = []int{int(p.Counts().In)}
					if len(a.delivered) == 0 {
						t.Error("nothing was delivered")
					}
					a.check(t, name, p.Counts())
				})
			})
		}
	}
}

func (a *elementLog) see(v int) error {
	if err := a.works(v); err != nil {
		return err
	}
	a.delivered = append(a.delivered, v)
	return nil
}

// ranges returns a body of Consume that records the elements. It stops after the given number of them; -1 is no limit.
func (a *elementLog) ranges(stops int, panics bool) func(context.Context, int, iter.Seq[int]) (int, error) {
	return func(_ context.Context, _ int, elements iter.Seq[int]) (int, error) {
		for v := range elements {
			a.delivered = append(a.delivered, v)
			err := a.works(v)
			if err != nil && panics {
				panic(err)
			}
			if err != nil || len(a.delivered) == stops {
				return len(a.delivered), err
			}
			time.Sleep(100 * time.Millisecond)
		}
		return len(a.delivered), nil
	}
}

// sinks holds plans of sinks that record the elements which they get.
var sinks = map[string]func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int]{
	"Count": func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] {
		return stream.Count(stream.Func(s, a.sees))
	},
	"Collect": func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] {
		return flow.Then(stream.Collect(stream.Func(s, a.sees)), step.Map(func(all []int) int { return len(all) }))
	},
	"ForEach": func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] { return stream.ForEach(s, a.see) },
	"Fold": func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] {
		return stream.Fold(s, zero, func(n, v int) int {
			if err := a.see(v); err != nil {
				panic(err)
			}
			return n + 1
		})
	},
	"Consume": func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] {
		return stream.Consume(s, 7, a.ranges(-1, false))
	},
	"Consume, panics": func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] {
		return stream.Consume(s, 7, a.ranges(-1, true))
	},
	"Consume, stops": func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] {
		return stream.Consume(s, 7, a.ranges(2, false))
	},
	"Send": func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] {
		return a.sends(stream.Func(s, a.may), 1)
	},
	"Send, slow receiver": func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] {
		return a.sends(stream.Func(s, a.may), 5)
	},
	"Write":         func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] { return a.writes(s, false) },
	"Write, panics": func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] { return a.writes(s, true) },
	"All":           func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] { return a.ranged(s) },
	"Broadcast, not read yet": func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] {
		late := func(branch flow.Plan[feed, int]) flow.Plan[feed, int] {
			return flow.Then(step.Delay[feed](time.Minute), branch)
		}
		branches := stream.Broadcast(stream.Func(s, a.may), 7, late(stream.ForEach(fed, a.see)), late(stream.Count(fed)))
		return flow.Then(branches, step.Map(func(n []int) int { return n[0] }))
	},
	"Broadcast": func(a *elementLog, s stream.Stream[int, int]) flow.Plan[int, int] {
		branch := stream.ForEach(stream.Catch(stream.Fed[int](), a.take), a.see)
		return flow.Then(stream.Broadcast2(s, 7, branch, stream.Count(stream.Fed[int]())), step.Map(func(n flow.Pair[int, int]) int { return n.A }))
	},
}

// sends returns a plan that sends to a channel from which a number of elements is received while the plan runs.
func (a *elementLog) sends(s stream.Stream[int, int], received int) flow.Plan[int, int] {
	to, done := make(chan int, 2), make(chan step.Unit)
	go func() {
		defer close(done)
		for range received {
			time.Sleep(100 * time.Millisecond)
			if v, ok := <-to; ok {
				a.delivered = append(a.delivered, v)
			}
		}
	}()
	a.settle = func() {
		close(to)
		<-done
		for v := range to {
			a.delivered = append(a.delivered, v)
		}
	}
	return stream.Send(s, 7, func(int) chan<- int { return to })
}

// brittleWriter fails in the middle of the bad element, or panics at it.
type brittleWriter struct {
	a      *elementLog
	panics bool
}

// longText returns a text so long that Write gives its writer one at a time.
func longText(v int) string { return fmt.Sprintf("%20000d", v) }

func (w brittleWriter) Write(text []byte) (int, error) {
	time.Sleep(100 * time.Millisecond)
	var whole []int
	for n := 0; n < len(text); n += 20000 {
		v := number(string(text[n : n+20000]))
		if err := w.a.works(v); err != nil && w.panics {
			panic(err)
		} else if err != nil {
			w.a.delivered = append(w.a.delivered, whole...)
			return n + 10000, err
		}
		whole = append(whole, v)
	}
	w.a.delivered = append(w.a.delivered, whole...)
	return len(text), nil
}

func (a *elementLog) writes(s stream.Stream[int, int], panics bool) flow.Plan[int, int] {
	write := stream.Write(stream.Map(s, longText), 7, func(int) io.Writer { return brittleWriter{a, panics} })
	return flow.Then(write, step.Map(func(n int64) int { return int(n) }))
}

func (a *elementLog) ranged(s stream.Stream[int, int]) flow.Plan[int, int] {
	return flow.Of(step.Await(func(ctx context.Context, n int) (int, error) {
		for v, err := range stream.All(ctx, stream.Func(s, a.may), n) {
			if err != nil {
				return 0, err
			}
			a.delivered = append(a.delivered, v)
			time.Sleep(100 * time.Millisecond)
		}
		return len(a.delivered), nil
	}).Stage())
}

func (a *elementLog) sees(v int) (int, error) { return v, a.see(v) }

// C1, V1: however a stream ends, each element that reaches its sink is recorded there, or counted as failed or lost.
func TestC1SinksAccountForTheirElements(t *testing.T) {
	for name, sink := range sinks {
		for _, way := range ways {
			if way.dead || strings.HasSuffix(name, "stops") && way.err != nil {
				continue // no Catch is behind a sink, and a sink that stops does so first
			}
			if (name == "Count" || name == "Collect") && way.exits {
				continue // the function isn't the sink's, so what it has seen is lost
			}
			t.Run(name+", "+way.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					a := &elementLog{n: 50, bad: -1, exits: way.exits}
					if way.fails {
						a.bad = 4
					}
					var p stream.Progress
					var lost, failed int64 // behind the Measure, and behind the Catch of a branch
					told := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
						return ctx, func(e observe.Event) {
							stages, last := e.Stages()
							at := slices.IndexFunc(stages, func(s observe.Stage) bool { return s.Kind == "measure" || s.Kind == "catch" })
							if !last || at < 0 { // at is -1 for a branch of a Broadcast without a Catch
								return
							}
							for _, s := range stages[at+1:] {
								lost, failed = lost+s.Lost, failed+s.Failed
							}
						}
					})
					s := a.source()
					if !way.fails { // otherwise the sink gets many elements at once
						s = stream.Throttle(s, 2, 100*time.Millisecond)
					}
					s = stream.Take(stream.Measure(s, &p), way.take)
					err := a.run(t, sink(a, s), way.cancel, way.limit, told)
					if !errors.Is(err, way.err) && (!way.exits || err == nil) {
						t.Fatalf("ended with %v, want %v", err, way.err)
					}
					if a.open != 0 {
						t.Error("the source is still open")
					}
					if a.settle != nil {
						a.settle()
					}
					c := p.Counts()
					if ended := len(a.delivered) + len(a.lettered); int64(ended)+lost+failed != c.Out {
						t.Errorf("%+v; %v were seen, letters %v, %d lost, %d failed", c, a.delivered, a.lettered, lost, failed)
					}
				})
			})
		}
	}
}
