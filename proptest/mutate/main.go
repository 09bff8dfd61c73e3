// Command mutate changes the product in one small place at a time, and reports which changes the tests notice.
//
//	go run ./proptest/mutate -sample 150 internal/frame
//	go run ./proptest/mutate internal/op loopx syncx
//	go run ./proptest/mutate -only 17,85 internal/frame
//	go run ./proptest/mutate -suites queue,tool internal/queue
//
// A mutant is one edit: a condition negated, an operator swapped, a statement
// dropped, a returned true or false flipped. The chosen mutants are compiled together, each behind a
// switch that an environment variable turns on, so trying one needs no build of
// its own. Edits that overlap go to different builds. The tree isn't
// touched: the go command is given an overlay.
//
// Each test is run alone first, to see which switches of the first build it reaches. A mutant is then tried with the tests
// that reach the mutant or an edit around it, quick tests first. Suites that -suites leaves out might kill a survivor. Harmless
// survivors are explained in explained.go. The exit status is 1 if a survivor isn't explained.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

func main() {
	sample := flag.Int("sample", 0, "how many mutants to try, drawn at random; 0: all")
	seed := flag.Uint64("seed", 1, "of the draw")
	only := flag.String("only", "", "numbers of the mutants to try, with commas between them")
	workers := flag.Int("workers", runtime.NumCPU(), "how many tests run at a time")
	names := flag.String("suites", "", "names of the suites to ask, with commas between them; none: all")
	list := flag.Bool("list", false, "print the mutants and try none")
	flag.Parse()

	var mutants []*mutant
	for _, dir := range flag.Args() {
		found, err := scan(dir)
		check(err)
		mutants = append(mutants, found...)
	}
	chosen := choose(len(mutants), *sample, *seed)
	if *only != "" {
		some, err := pick(*only, len(mutants))
		check(err)
		chosen = some
	}
	if *list {
		for _, i := range chosen {
			fmt.Printf("%4d %v\n", i, mutants[i])
		}
		return
	}
	asked, err := named(*names)
	check(err)
	t, err := run(mutants, chosen, asked, *workers)
	check(err)
	fmt.Println(&t)
	if t.unexplained > 0 {
		os.Exit(1)
	}
}

// run builds the chosen mutants, tries them, prints each verdict, and counts them.
func run(mutants []*mutant, chosen []int, suites []suite, workers int) (t tally, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	builds, invalid := compile(dir, mutants, chosen, suites)
	t.invalid = invalid
	if len(builds) == 0 {
		return t, fmt.Errorf("nothing to try: of %d mutants, %d don't compile", len(chosen), invalid)
	}
	all, err := builds[0].cases(ctx, workers)
	if err != nil {
		return t, err
	}
	fmt.Println(len(all), "tests")
	compiled := slices.DeleteFunc(chosen, func(i int) bool { return mutants[i].build < 0 })
	err = try(ctx, builds, mutants, compiled, all, workers, func(v verdict) { t.add(v, mutants[v.mutant]) })
	return t, err
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
}

func numbers(list string) (all []int, err error) {
	for field := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// pick parses a list of numbers below n.
func pick(list string, n int) ([]int, error) {
	all, err := numbers(list)
	for _, i := range all {
		if i < 0 || i >= n {
			return nil, fmt.Errorf("no mutant %d: there are %d, from 0", i, n)
		}
	}
	return all, err
}

// choose draws sample of the numbers below n, in ascending order. It takes all if sample is 0 or at least n.
func choose(n, sample int, seed uint64) []int {
	all := rand.New(rand.NewPCG(seed, seed)).Perm(n)
	if sample > 0 && sample < n {
		all = all[:sample]
	}
	slices.Sort(all)
	return all
}

// tally counts and prints verdicts.
type tally struct{ killed, survived, explained, unexplained, invalid int }

func (t *tally) add(v verdict, m *mutant) {
	if v.killer != "" {
		t.killed++
		fmt.Printf("%4d killed by %-12s %v\n", v.mutant, v.killer, m)
		return
	}
	t.survived++
	why := explanation(m)
	if why != "" {
		t.explained++
		why = "  // " + why
	} else {
		t.unexplained++
	}
	fmt.Printf("%4d SURVIVED               %v%s\n", v.mutant, m, why)
}

func (t *tally) String() string {
	tried := t.killed + t.survived
	return fmt.Sprintf("%d mutants: %d killed (%.1f %%), %d survived, of them %d explained; %d don't compile",
		tried, t.killed, 100*float64(t.killed)/float64(max(tried, 1)), t.survived, t.explained, t.invalid)
}
