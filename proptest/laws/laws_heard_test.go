package laws_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/tool"
)

var (
	heardCases = flag.Int("heard", 2500, "how many pipelines TestV1EveryElementIsHeardOf draws")
	heardSeed  = flag.Uint64("heard.seed", 1, "the seed of the first one; the next one has the next number")
)

var nan = math.NaN()

// Law 88: each element that a source has given is heard of once, for any pipeline and any end of it.
func TestV1EveryElementIsHeardOf(t *testing.T) {
	drawn := map[string]bool{}
	for i := range uint64(*heardCases) {
		seed := *heardSeed + i
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { hearOf(t, seed, drawn) })
		})
	}
	if *heardCases < 400 {
		return
	}
	for _, name := range operatorsOfStreams(t) {
		if !drawn[name] {
			t.Errorf("%s wasn't drawn", name)
		}
	}
}

// hearOf runs the pipeline of a seed in a bubble, which ends only if no goroutine is left.
func hearOf(t *testing.T, seed uint64, drawn map[string]bool) {
	p := &pipelines{Rand: rand.New(rand.NewPCG(seed, 0)), heardOf: new(heardOf), drawn: drawn}
	plan := flow.Of(p.sink(1 + p.IntN(5)).Stage())
	ends := p.IntN(4)
	at := time.Duration(p.IntN(20)) * time.Millisecond
	if ends == 0 {
		plan = flow.Timeout(at+time.Millisecond, plan)
	}
	options := tool.Options{OnError: func(error) {}}
	loop := tool.Start(options)
	started := make(chan struct{})
	var run *flow.Running[int]
	p.cancel = func() {
		<-started
		if ends == 0 {
			time.Sleep(at + 2*time.Millisecond) // the limit has passed
		} else {
			run.Cancel(nil)
		}
	}
	run = flow.Start(flow.WithOptions(t.Context(), options), loop, plan, 0) // stream.All makes its loop with these options
	close(started)
	if ends == 1 {
		time.Sleep(at)
		run.Cancel(nil)
	}
	_, err := run.Wait(t.Context())
	if down := loop.Shutdown(t.Context()); down != nil {
		t.Errorf("the loop doesn't end: %v", down)
	}
	for _, closer := range p.closers {
		closer()
	}
	synctest.Wait()
	most := 10_000
	if ends == 0 { // a limit may be noticed some turns later
		most = 100_000
	}
	if p.asked > most && !p.apart {
		t.Errorf("sources were asked for %d elements after the run was to end", p.asked)
	}
	p.judge(t, err)
	if t.Failed() {
		t.Logf("%sends %d; the run: %v", p.text.String(), ends, err)
	}
}

func (p *pipelines) judge(t *testing.T, err error) {
	t.Helper()
	if p.strangers > 0 {
		t.Errorf("the steps of %d elements without a key have begun", p.strangers)
	}
	skipped := 0
	for _, e := range p.all {
		if !e.given {
			continue
		}
		if e.heard == 0 && e.into == nil && !e.split && skipped < p.skipped {
			skipped++
			continue
		}
		wrong := e.wrong(false)
		if wrong == "" {
			wrong = e.sinkWrong(err == nil && !p.stops)
		}
		if wrong != "" {
			t.Error(wrong)
			return
		}
	}
}

// operatorsOfStreams returns the exported functions of package stream that make streams and sinks.
func operatorsOfStreams(t *testing.T) (names []string) {
	files, err := filepath.Glob("../../stream/*.go")
	if err != nil {
		t.Fatal(err)
	}
	signature := regexp.MustCompile(`(?ms)^func ([A-Z]\w*)\[.*?\) (Stream|flow\.Plan|iter\.Seq2)\[`)
	for _, file := range files {
		if match, _ := filepath.Match("*_test.go", filepath.Base(file)); match {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range signature.FindAllStringSubmatch(string(text), -1) {
			names = append(names, found[1])
		}
	}
	if len(names) < 40 {
		t.Errorf("%d operators were found", len(names))
	}
	return names
}
