package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

var words = flow.NewOutput[string]("words")

// outputs returns a step that hands out the texts, one after the other.
func outputs(texts ...string) flow.Plan[int, int] {
	all := make([]step.Step[int, int], len(texts))
	for i, text := range texts {
		all[i] = flow.Tap(flow.Then(flow.Value[int](text), words.Emit()))
	}
	return flow.Chain(all...)
}

// outputsOfAwait returns a step whose body hands out the texts on a goroutine.
func outputsOfAwait(texts ...string) step.Step[int, int] {
	return step.Do(func(ctx context.Context, _ int) error {
		for _, text := range texts {
			if err := words.Send(ctx, text); err != nil {
				return err
			}
		}
		return nil
	})
}

func collectOutput(t *testing.T, s step.Step[int, int]) (texts []string, err error) {
	t.Helper()
	run := flow.RunOutput(t.Context(), words, s, 1)
	for text := range run.All() {
		texts = append(texts, text)
	}
	_, err = run.Result()
	return texts, err
}

func TestOutput(t *testing.T) {
	group := tool.NewGroup(2, tool.Options{})
	defer func() {
		if err := group.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	for name, c := range map[string]struct {
		s    step.Step[int, int]
		want []string
	}{
		"nothing":          {plantest.Add(1), nil},
		"steps":            {outputs("a", "b", "c"), []string{"a", "b", "c"}},
		"bodies":           {outputsOfAwait("a", "b", "c"), []string{"a", "b", "c"}},
		"a handler":        {flow.Catch(flow.Then(outputs("a"), step.Map(func(int) int { panic("no") })), func(as step.Scope, _ error) step.Next[int] { return step.Into(as, outputs("b"), 1) }), []string{"a", "b"}},
		"a cleanup":        {flow.Bracket(plantest.Add(0), outputs("a"), flow.Then(step.Map(func(flow.Ended[int, int]) int { return 1 }), outputs("b"))), []string{"a", "b"}},
		"on another loop":  {flow.Then(flow.On(group, outputs("a", "b")), flow.On(group, outputsOfAwait("c"))), []string{"a", "b", "c"}},
		"another output":   {flow.Tap(flow.Then(flow.Value[int]("x"), flow.NewOutput[string]("words").Emit())), nil},
		"the zero Output":  {flow.Tap(flow.Then(flow.Value[int]("x"), flow.Output[string]{}.Emit())), nil},
		"branches in turn": {dropResults(flow.Par(outputs("a", "c"), outputs("b", "d"))), []string{"a", "b", "c", "d"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := collectOutput(t, c.s); !slices.Equal(got, c.want) || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}

	t.Run("many branches", func(t *testing.T) {
		branches := make([]step.Step[int, int], 50)
		want := make([]string, len(branches))
		for i := range branches {
			want[i] = fmt.Sprintf("%02d", i)
			branches[i] = outputsOfAwait(want[i])
		}
		got, err := collectOutput(t, dropResults(flow.Par(branches...)))
		slices.Sort(got)
		if !slices.Equal(got, want) || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
	t.Run("Run drops what is handed out", func(t *testing.T) {
		for _, s := range []step.Step[int, int]{outputs("a", "b"), outputsOfAwait("a", "b")} {
			if out, err := flow.Run(t.Context(), s, 7); out != 7 || err != nil {
				t.Error(out, err)
			}
		}
		plantest.WantResult(t, outputs("a", "b"), 7, 7)
	})
	t.Run("its picture", func(t *testing.T) {
		tree := flow.Describe(words.Emit()).Holds[0]
		if tree.Kind != "emit" || tree.Name != "words" || tree.Func != "" {
			t.Error(tree.Kind, tree.Name, tree.Func)
		}
	})
}

func dropResults(s step.Step[int, []int]) flow.Plan[int, int] {
	return flow.Then(s, step.Map(func([]int) int { return 0 }))
}

func TestOutputOfAttempts(t *testing.T) {
	fails := step.New(func(as step.Scope, n int) step.Next[int] {
		if as.Attempt() < 3 {
			return step.Fail[int](errors.New("busy"))
		}
		return step.Succeed(n)
	})
	for name, say := range map[string]step.Step[int, int]{"steps": outputs("a", "b"), "bodies": outputsOfAwait("a", "b")} {
		run := flow.RunOutput(t.Context(), words, flow.Then(outputs("before"), retry.Of(retry.Policy{}, flow.Then(say, fails))), 1)
		var got []string
		for text, attempt := range run.All() {
			got = append(got, fmt.Sprint(attempt, text))
		}
		if want := "[0before 1a 1b 2a 2b 3a 3b]"; fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, want %s", name, got, want)
		}
		if _, err := run.Result(); err != nil {
			t.Error(name, err)
		}
	}
}

// A body that hands out values without end ends when its step is left.
func TestOutputOfEndlessBody(t *testing.T) {
	gone := errors.New("gone")
	var ended error
	body := step.Await(func(ctx context.Context, n int) (int, error) {
		for {
			if ended = words.Send(ctx, "a"); ended != nil {
				return n, ended
			}
		}
	})
	for name, s := range map[string]func() error{
		"the range is left": func() error {
			run := flow.RunOutput(t.Context(), words, body, 1)
			for range run.All() {
				break
			}
			_, err := run.Result()
			return err
		},
		"nobody ranges": func() error {
			ctx, cancel := context.WithCancelCause(t.Context())
			_, err := flow.Run(ctx, dropResults(flow.Par(body, step.Do(func(context.Context, int) error { cancel(gone); return nil }))), 1)
			return err
		},
	} {
		ended = nil
		if err := s(); !errors.Is(err, context.Canceled) || ended == nil {
			t.Errorf("%s: the run gave %v, the body %v", name, err, ended)
		}
	}
}

// Bodies whose values wait when the caller takes no more hear that these were not taken.
func TestOutputOfBodiesThatWait(t *testing.T) {
	for name, leave := range map[string]func(cancel context.CancelFunc) (more bool){
		"its context ends": func(cancel context.CancelFunc) bool { cancel(); return true },
		"a break":          func(context.CancelFunc) bool { return false },
		"a panic":          func(context.CancelFunc) bool { panic("gone") },
	} {
		t.Run(name, func(t *testing.T) {
			for range 200 {
				var sent atomic.Int64
				say := step.Await(func(ctx context.Context, n int) (int, error) {
					err := words.Send(ctx, "a")
					if err == nil {
						sent.Add(1)
					}
					return n, err
				})
				ctx, cancel := context.WithCancel(t.Context())
				taken := int64(0)
				func() {
					defer func() { _ = recover() }()
					for range flow.RunOutput(ctx, words, flow.Par(say, say, say, say), 1).All() {
						if taken++; taken == 2 && !leave(cancel) {
							break
						}
					}
				}()
				cancel()
				// After a panic the caller hasn't come back for the second value, and whoever sent it may hear either.
				if n := sent.Load(); n != taken && (name != "a panic" || n != taken-1) {
					t.Fatalf("%d values were taken, and %d sent", taken, n)
				}
			}
		})
	}
}

// Send returns if its context ends while the caller still uses the value. The next Send waits for its own value only.
func TestOutputOfContextThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var end context.CancelFunc
		began := make(chan struct{})
		var sent atomic.Bool
		body := step.Do(func(ctx context.Context, _ int) error {
			inner, cancel := context.WithCancel(ctx)
			end = cancel
			if err := words.Send(inner, "a"); err != nil {
				return err
			}
			close(began)
			if err := words.Send(inner, "never"); !errors.Is(err, context.Canceled) {
				t.Error("with a context that has ended:", err)
			}
			err := words.Send(ctx, "b")
			sent.Store(true)
			return err
		})
		var got []string
		run := flow.RunOutput(t.Context(), words, body, 1)
		for text := range run.All() {
			if got = append(got, text); text == "a" {
				end()
				<-began
				continue
			}
			synctest.Wait()
			if sent.Load() {
				t.Error("Send has returned, and its value is still in use")
			}
		}
		if _, err := run.Result(); err != nil || !slices.Equal(got, []string{"a", "b"}) {
			t.Error(got, err)
		}
	})
}

func TestOutputAllocates(t *testing.T) {
	allocs := func(n int) float64 {
		body := step.Do(func(ctx context.Context, _ int) error {
			for range n {
				if err := words.Send(ctx, "a"); err != nil {
					return err
				}
			}
			return nil
		})
		return testing.AllocsPerRun(20, func() {
			run := flow.RunOutput(context.Background(), words, body, 1)
			for range run.All() {
			}
		})
	}
	if few, many := allocs(10), allocs(1000); many > few+50 {
		t.Errorf("%v allocations for 10 values, %v for 1000", few, many)
	}
}

// Emit hands out values between steps that don't block.
func ExampleNewOutput() {
	progress := flow.NewOutput[int]("progress")
	double := step.Map(func(n int) int { return 2 * n })
	run := flow.RunOutput(context.Background(), progress, flow.Chain(double, progress.Emit(), double, progress.Emit()), 1)
	for n, attempt := range run.All() {
		fmt.Println(n, attempt)
	}
	// Output:
	// 2 0
	// 4 0
}
