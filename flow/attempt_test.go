package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// outputFails returns a step that hands out texts by say, and fails in attempts before attempt until.
func outputFails(until int, say func(...string) step.Step[int, int], texts ...string) step.Step[int, int] {
	return flow.Then(say(texts...), step.New(func(as step.Scope, n int) step.Next[int] {
		if as.Attempt() < until {
			return step.Fail[int](errors.New("busy"))
		}
		return step.Succeed(n)
	}))
}

func TestAttemptReplaces(t *testing.T) {
	group := tool.NewGroup(1, tool.Options{})
	defer func() {
		if err := group.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	again := func(s step.Step[int, int]) step.Step[int, int] { return retry.Of(retry.Policy{Tries: 5}, s) }
	after := func(d time.Duration, s step.Step[int, int]) step.Step[int, int] {
		return flow.Then(step.Delay[int](d), s)
	}
	for how, say := range map[string]func(...string) step.Step[int, int]{
		"steps":  func(texts ...string) step.Step[int, int] { return outputs(texts...) },
		"bodies": outputsOfAwait,
	} {
		for name, c := range map[string]struct {
			s    step.Step[int, int]
			want []string // the texts that no attempt replaces
		}{
			"no retry":                     {say("a", "b"), []string{"a", "b"}},
			"one":                          {flow.Chain(say("a"), again(outputFails(3, say, "b", "c")), say("d")), []string{"a", "b", "c", "d"}},
			"one after other":              {flow.Chain(again(outputFails(2, say, "a")), say("b"), again(outputFails(3, say, "c"))), []string{"a", "b", "c"}},
			"the same again":               {flow.Chain(again(outputFails(2, say, "a")), again(outputFails(2, say, "a"))), []string{"a", "a"}},
			"side by side":                 {dropResults(flow.Par(again(outputFails(2, say, "a", "b")), again(outputFails(3, say, "c", "d")))), []string{"a", "b", "c", "d"}},
			"one in the other":             {again(flow.Chain(say("a"), again(outputFails(2, say, "b")), outputFails(2, say, "c"))), []string{"a", "b", "c"}},
			"one that ended, in the other": {again(flow.Chain(again(outputFails(2, say, "a")), outputFails(2, say), again(outputFails(2, say, "b")))), []string{"a", "b"}},
			"a branch in a retry":          {again(flow.Chain(dropResults(flow.Par(say("a"), after(time.Millisecond, say("b")))), outputFails(2, say))), []string{"a", "b"}},
			"on another loop":              {again(flow.On(group, outputFails(2, say, "a"))), []string{"a"}},
			"gives up":                     {flow.OrElse(retry.Of(retry.Policy{Tries: 2}, outputFails(9, say, "a")), 0), []string{"a"}},
		} {
			t.Run(how+"/"+name, func(t *testing.T) {
				type output struct {
					text    string
					attempt flow.Attempt
				}
				var kept, all []output
				run := flow.RunOutput(t.Context(), words, c.s, 1)
				for text, attempt := range run.All() {
					kept = slices.DeleteFunc(kept, func(v output) bool { return attempt.Replaces(v.attempt) })
					if (attempt.Number() == 0) != attempt.Final() {
						t.Errorf("%s of attempt %v: final is %v while it is made", text, attempt, attempt.Final())
					}
					for _, v := range all {
						if v.attempt.Replaces(attempt) || v.attempt.Replaces(v.attempt) || attempt.Replaces(v.attempt) && v.attempt.Final() {
							t.Errorf("%s of attempt %v, then %s of %v", v.text, v.attempt, text, attempt)
						}
					}
					kept, all = append(kept, output{text, attempt}), append(all, output{text, attempt})
				}
				if _, err := run.Result(); err != nil {
					t.Fatal(err)
				}
				var texts []string
				for _, v := range kept {
					texts = append(texts, v.text)
				}
				if slices.Sort(texts); !slices.Equal(texts, c.want) {
					t.Errorf("kept %q of %v, want %q", texts, all, c.want)
				}
				for _, v := range all {
					if !v.attempt.Final() {
						t.Errorf("%s of attempt %v isn't final after the run", v.text, v.attempt)
					}
				}
			})
		}
	}
}

func TestAttemptSame(t *testing.T) {
	for how, say := range map[string]func(...string) step.Step[int, int]{
		"steps":  func(texts ...string) step.Step[int, int] { return outputs(texts...) },
		"bodies": outputsOfAwait,
	} {
		again := func(s step.Step[int, int]) step.Step[int, int] { return retry.Of(retry.Policy{}, s) }
		s := flow.Chain(say("none", "none"), again(outputFails(2, say, "a", "a")),
			again(flow.Chain(say("outer"), again(outputFails(2, say, "inner", "inner")), say("outer"))), dropResults(flow.Par(again(say("b", "b")), again(say("c", "c")))))
		type output struct {
			name    string // the text, and the number of the attempt
			attempt flow.Attempt
		}
		var all []output
		for text, attempt := range flow.RunOutput(t.Context(), words, s, 1).All() {
			one := output{text + attempt.String(), attempt}
			all = append(all, one)
			for _, v := range all {
				if same := v.name == one.name; v.attempt.Same(attempt) != same || attempt.Same(v.attempt) != same {
					t.Errorf("%s: %s and %s are the same: %v", how, v.name, one.name, !same)
				}
			}
		}
		if len(all) != 16 {
			t.Errorf("%s: %d values", how, len(all))
		}
	}
}

func TestAttemptIsFinalWhenLeft(t *testing.T) {
	slow := retry.Of(retry.Policy{}, flow.Then(outputs("a"), step.Delay[int](time.Hour)))
	pausing := retry.Of(retry.Policy{Tries: 2, Pause: time.Hour}, outputFails(9, func(texts ...string) step.Step[int, int] { return outputs(texts...) }, "a"))
	for name, s := range map[string]step.Step[int, int]{"an attempt": slow, "a pause": pausing} {
		run := flow.RunOutput(t.Context(), words, flow.Then(flow.OrElse(flow.Timeout(time.Millisecond, s), 0), outputs("b")), 1)
		var first flow.Attempt
		for text, attempt := range run.All() {
			switch text {
			case "a":
				first = attempt
			case "b":
				if !first.Final() || first.Number() != 1 || attempt.Replaces(first) {
					t.Errorf("%s: number %d, final %v", name, first.Number(), first.Final())
				}
			}
		}
	}
}

// Values of a retry that has ended count as those of the attempt around it.
func TestAttemptOpen(t *testing.T) {
	again := func(s step.Step[int, int]) step.Step[int, int] { return retry.Of(retry.Policy{}, s) }
	inner := again(outputFails(2, func(texts ...string) step.Step[int, int] { return outputs(texts...) }, "inner"))
	var all []flow.Attempt
	for text, attempt := range flow.RunOutput(t.Context(), words, flow.Then(again(flow.Chain(inner, outputs("outer"))), outputs("last")), 1).All() {
		if !attempt.Open().Same(attempt) {
			t.Errorf("%s: %v isn't open while it is made", text, attempt)
		}
		all = append(all, attempt)
		for _, earlier := range all {
			switch open := earlier.Open(); {
			case text == "inner" && !open.Same(earlier), text == "outer" && !open.Same(attempt), text == "last" && !open.Same(flow.Attempt{}):
				t.Errorf("at %s: Open of attempt %v is attempt %v", text, earlier, open)
			}
		}
	}
	if len(all) != 4 {
		t.Errorf("%d values", len(all))
	}
}

// A caller shows the text of the attempts that were not replaced.
func ExampleAttempt_Replaces() {
	type part struct {
		token   string
		attempt flow.Attempt
	}
	tokens := flow.NewOutput[string]("tokens")
	ask := step.Do(func(ctx context.Context, words []string) error {
		for i, word := range words {
			if i == 1 && retry.Attempt(ctx) == 1 {
				return errors.New("connection lost")
			}
			if err := tokens.Send(ctx, word); err != nil {
				return err
			}
		}
		return nil
	})
	run := flow.RunOutput(context.Background(), tokens, retry.Of(retry.Policy{}, ask), []string{"forty", "two"})
	var shown []part
	for token, attempt := range run.All() {
		shown = slices.DeleteFunc(shown, func(p part) bool { return attempt.Replaces(p.attempt) })
		shown = append(shown, part{token, attempt})
		fmt.Printf("attempt %v: %d shown, the last is %s\n", attempt, len(shown), token)
	}
	// Output:
	// attempt 1: 1 shown, the last is forty
	// attempt 2: 1 shown, the last is forty
	// attempt 2: 2 shown, the last is two
}
