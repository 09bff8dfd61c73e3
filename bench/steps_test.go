package bench

import (
	"testing"

	"github.com/cloudwego/eino/compose"
	"github.com/samber/ro"
)

// Steps: n functions, each on the result of the one before; the first error would end it. Start and result are a part, so a
// step's own price is the difference between two sizes.
//
// The floor calls them in a loop. The pipeline of ro is built once, with its input, which favours ro: usually each input needs
// its own pipeline. That of eino is compiled once.
var steps = row{
	sizes: []int{1, 10, 16, 100, 1000},
	want:  same,
	columns: []column{
		ours(func(n int) number { return times(n, inc) }),
		floor,
		roSteps,
		einoSteps.upTo(100),
	},
}

var roSteps = peer("ro", func(_ testing.TB, n int) operation {
	pipeline := ro.Just(0)
	for _, f := range adds(n) {
		pipeline = ro.MapErr(f)(pipeline)
	}
	return collect(pipeline)
})

var einoSteps = peer("eino", func(tb testing.TB, n int) operation {
	tb.Helper()
	chain := compose.NewChain[int, int]()
	for _, f := range adds(n) {
		chain.AppendLambda(lambda(f))
	}
	compiled, err := chain.Compile(background, compose.WithMaxRunSteps(n+2))
	if err != nil {
		tb.Fatal(err)
	}
	return func() (int, error) { return compiled.Invoke(background, 0) }
})

func BenchmarkSteps(b *testing.B) { steps.bench(b) }
