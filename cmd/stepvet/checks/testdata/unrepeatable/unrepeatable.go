package unrepeatable

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	mathrand "math/rand"
	"net/http"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"

	"example.com/testdata/unrepeatable/ids"
	"example.com/testdata/unrepeatable/plans"
)

// Clocks.

var now = step.Map(func(name string) string {
	return name + time.Now().String() // want `time.Now in a durable plan: it gives something else when the run is repeated; use as.Now of the step.Scope`
})

var since = step.Func(func(as step.Scope, name string) (string, error) {
	began := as.Now()
	if time.Since(began) > time.Minute { // want `time.Since in a durable plan`
		return "", errors.New("late")
	}
	return name, nil
})

var byName = step.New(declared)

func declared(as step.Scope, name string) step.Next[string] {
	clock := time.Now
	_ = clock()                      // want `clock \(time.Now\) in a durable plan`
	return step.Succeed(today(name)) // want `today \(time.Now\) in a durable plan`
}

func today(name string) string { return name + time.Now().Format(time.DateOnly) }

// Functions that call each other can't be repeated if one of them can't.
var mutual = step.Map(func(name string) string {
	return wall(name) + // want `wall \(time.Now\) in a durable plan`
		day(name) + // want `day \(time.Now\) in a durable plan`
		week(name) // want `week \(time.Now\) in a durable plan`
})

func wall(of string) string {
	switch of {
	case "day":
		return day("")
	case "week":
		return week("")
	}
	return time.Now().String()
}

func day(of string) string  { return wall(of) }
func week(of string) string { return wall(of) }

// Random numbers.

var rolled = flow.Then(step.Map(func(name string) string {
	return fmt.Sprint(name, mathrand.Intn(6)) // want `math/rand.Intn in a durable plan: it gives something else when the run is repeated; use a step.Await`
}), step.Map(func(name string) string {
	fixed := mathrand.New(mathrand.NewSource(1))
	return fmt.Sprint(name, fixed.Intn(6))
}))

var numbered = step.Map(func(name string) string {
	var b [4]byte
	_, _ = io.ReadFull(rand.Reader, b[:]) // want `crypto/rand.Reader in a durable plan`
	return ids.Of(name) + ids.New()       // want `New \(crypto/rand.Reader\) in a durable plan`
})

var dated = step.Map(func(name string) string {
	var clock ids.Clock
	return name + clock.Day() // want `Day \(time.Now\) in a durable plan`
})

// Effects.

var printed = flow.Catch(step.Map(func(name string) string {
	fmt.Println(name)               // want `fmt.Println in a durable plan: it is done again when the run is repeated; use a step.Await`
	fmt.Fprintln(os.Stderr, name)   // want `os.Stderr in a durable plan`
	slog.Info("done", "name", name) // want `log/slog.Info in a durable plan`
	return name + os.Getenv("HOME") // want `os.Getenv in a durable plan`
}), func(as step.Scope, err error) step.Next[string] {
	as.SetCancel(func() { _ = os.Remove("x") }) // want `os.Remove in a durable plan`
	if errors.Is(err, os.ErrNotExist) {
		return step.Into(as, fetched, "a")
	}
	return step.Unwind[string]()
})

var fetched = step.Func(func(_ step.Scope, url string) (string, error) {
	answer, err := http.Get(url) // want `net/http.Get in a durable plan`
	if err != nil {
		return "", err
	}
	return answer.Status, answer.Body.Close()
})

var hooked = flow.OnCancel(step.Map(func(name string) string { return name }), func(step.Scope) {
	_, _ = os.Create("x") // want `os.Create in a durable plan`
})

// Goroutines.

var started = step.New(func(as step.Scope, name string) step.Next[string] {
	var all sync.WaitGroup
	all.Go(func() {}) // want `\(\*sync.WaitGroup\).Go in a durable plan: goroutines aren't repeated in the same order; use flow.Par, or a step.Await`
	return step.Wait(as, func(done step.Done[string]) {
		go func() { done.Succeed(name) }() // want `a go statement in a durable plan`
	})
})

// Maps.

type counts = map[string]int

var listed = step.Map(func(c counts) string {
	var names []string
	for name := range c { // want `the order of a map gets into names in a durable plan: it is another one when the run is repeated; sort it`
		names = append(names, name)
	}
	text := ""
	for name, n := range c { // want `the order of a map gets into text in a durable plan`
		text += fmt.Sprint(name, n)
	}
	var b strings.Builder
	for name := range c { // want `the order of a map gets into b in a durable plan`
		b.WriteString(name)
	}
	sum := 0.0
	for _, n := range c { // want `the order of a map gets into sum in a durable plan`
		sum += float64(n)
	}
	return fmt.Sprint(names, text, b.String(), sum,
		slices.Collect(maps.Keys(c)), // want `the order of a map gets into slices.Collect in a durable plan`
		ids.Names(c))                 // want `Names \(the order of a map\) in a durable plan`
})

var first = step.Func(func(_ step.Scope, c counts) (string, error) {
	for name, n := range c { // want `the order of a map gets into the result in a durable plan`
		if n < 0 {
			return "", fmt.Errorf("%s is negative", name)
		}
	}
	for name := range maps.Keys(c) { // want `the order of a map gets into the result in a durable plan`
		return name, nil
	}
	return "", nil
})

// The order of a map doesn't get into these results.
var ordered = step.Map(func(c counts) string {
	var names, more []string
	sum, most, none := 0, 0, false
	squares, groups := counts{}, map[int][]string{}
	for name, n := range c {
		names = append(names, name)
		more = append(more, name)
		sum += n
		most = max(most, n)
		none = none || n == 0
		squares[name] = n * n
		groups[n] = append(groups[n], name)
		if n > 100 {
			none = true
		}
	}
	sort.Strings(names)
	slices.SortFunc(more, strings.Compare)
	for name, n := range c {
		if name == "boss" {
			return fmt.Sprint(n)
		}
	}
	for range c {
		names = append(names, "")
	}
	for _, name := range names {
		more = append(more, name)
	}
	return fmt.Sprint(names, sum, most, none, squares, slices.Sorted(maps.Keys(c)), ids.Sorted(c))
})

type line struct {
	words []string
	text  strings.Builder
	sum   float64
	to    io.Writer
	kind  string
	part  struct{ words []string }
	owner *line
}

// Each element of the map gets only its own key.
var apart = step.Map(func(lines map[string]*line) string {
	var b bytes.Buffer
	for name, l := range lines {
		l.words = append(l.words, name)
		l.part.words = append(l.part.words, name)
		l.text.WriteString(name)
		l.sum += float64(len(name))
		fmt.Fprintln(l.to, "name")
		_, _ = b.WriteTo(l.to)
	}
	return ""
})

// The order of the map gets into values that its elements share.
var shared = step.Map(func(lines map[string]*line) string {
	kinds := map[string]*line{}
	for name, l := range lines { // want `the order of a map gets into words in a durable plan`
		kinds[l.kind].words = append(kinds[l.kind].words, name)
	}
	for name, l := range lines { // want `the order of a map gets into text in a durable plan`
		kinds[l.kind].text.WriteString(name)
	}
	for name, l := range lines { // want `the order of a map gets into words in a durable plan`
		l.owner.words = append(l.owner.words, name)
	}
	return ""
})

// An engine calls these on goroutines, and repeats a call only if its result was lost.
var effects = flow.Chain(
	step.Await(func(_ context.Context, name string) (string, error) {
		return name + time.Now().String() + os.Getenv("HOME"), nil
	}),
	step.Do(func(_ context.Context, name string) error {
		fmt.Println(name)
		return nil
	}),
	step.New(func(as step.Scope, name string) step.Next[string] {
		return step.Into(as, retry.Of(retry.Policy{Tries: 2}, send), name+as.Now().String())
	}))

var send = step.Await(post)

func post(_ context.Context, url string) (string, error) {
	_, err := http.Post(url, "", nil) //nolint
	return url, err
}

var once sync.Once

var meant = step.Map(func(name string) string {
	once.Do(func() { fmt.Println("the first one") })
	return name + time.Now().String() //stepvet:ignore nobody reads it
})

// A plan that isn't durable may do all of that.
var free = step.Map(func(name string) string { return name + time.Now().String() })

// inner is part of a plan that a body enters.
var entered = step.New(func(as step.Scope, name string) step.Next[string] {
	inner := step.Map(func(name string) string {
		return name + time.Now().String() // want `time.Now in a durable plan`
	})
	return step.Into(as, inner, name)
})

// build builds a plan, which isn't repeated.
func build(base string, pay step.Step[string, string]) flow.Plan[string, string] {
	at := time.Now()
	plan := flow.Then(pay, step.Map(func(name string) string { return base + name + at.String() }))
	plan = flow.Then(plan, step.Map(func(name string) string {
		return name + today("") // want `today \(time.Now\) in a durable plan`
	}))
	return plan
}

type shop struct{ name string }

func (s *shop) plan() flow.Plan[string, string] { return flow.Of(step.Map(s.greet)) }

func (s *shop) greet(name string) string {
	return s.name + os.Getenv("NAME") + name // want `os.Getenv in a durable plan`
}

var paid = step.Map(func(name string) string {
	return name + time.Now().String() // want `time.Now in a durable plan`
})

var looped = loopx.Repeat(3, func() step.Step[loopx.Iteration[string], string] {
	return step.Map(func(t loopx.Iteration[string]) string {
		return t.Carry + time.Now().String() // want `time.Now in a durable plan`
	})
}())

var (
	_ = durable.New("strings", flow.Chain(now, since, byName, mutual, rolled, numbered, dated, printed, hooked, started, effects, meant, entered, looped))
	_ = durable.New("counts", flow.Then(flow.Par2(listed, first), step.Map(func(t flow.Pair[string, string]) string { return t.A })))
	_ = durable.New("ordered", ordered)
	_ = durable.New("apart", apart)
	_ = durable.New("shared", shared)
	_ = durable.New("built", build("a", paid), durable.Also("shop", (&shop{}).plan()))
	_ = durable.New("plain", plans.Plain)
	_ = durable.New("stamped", plans.Stamped) // want `time.Now at plans.go:12 in a durable plan`
)

func local() *durable.Workflow[string, string] {
	plan := flow.Of(plans.Plain)
	return durable.New("there", flow.Then(plan, plans.Build(plans.Plain))) // want `time.Now at plans.go:22 in a durable plan`
}

func unknown(plan step.Step[string, string]) *durable.Workflow[string, string] {
	return durable.New("unknown", plan)
}
