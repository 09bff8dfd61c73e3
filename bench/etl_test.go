package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/stream"
)

// etl: n megabytes of lines, each of which is an order, are parsed and priced by as many goroutines as there are processors, added up
// by country, and written in their order. Lines that aren't orders are counted. Up to 256 lines wait between two stages.
//
// floor is a loop over the lines. goroutines is one that reads, one for each processor, and one that writes, with channels between them.
func etl(n int) row {
	return row{
		sizes: []int{n},
		want:  func(n int) int { return n * inMegabyte() },
		columns: []column{
			peer("asyncsteps", func(_ testing.TB, n int) operation {
				text := megabyte()
				return func() (int, error) {
					l := newLedger()
					lines := stream.Lines[io.Reader](ordersAhead)
					sales := stream.Await(lines, stream.Bound{Limit: runtime.GOMAXPROCS(0), Buffer: ordersAhead}, priced)
					good := stream.Catch(sales, func(*stream.Letter[string]) error { l.bad++; return nil })
					all := stream.Map(good, func(s sale) []byte { return l.add(s) })
					_, err := flow.Run(background, stream.Write(all, ordersAhead, func(io.Reader) io.Writer { return l }), repeated(text, n))
					return l.sum(), err
				}
			}),
			peer("floor", func(_ testing.TB, n int) operation {
				text := megabyte()
				return func() (int, error) { return priceAll(repeated(text, n)) }
			}),
			peer("goroutines", func(_ testing.TB, n int) operation {
				text := megabyte()
				return func() (int, error) { return priceOnGoroutines(repeated(text, n)) }
			}),
		},
	}
}

// ordersAhead is how many orders may wait between two stages.
const ordersAhead = 256

// sale is an order with its price.
type sale struct {
	country string
	cents   int
	text    []byte
}

var errNoOrder = errors.New("no order")

// priced parses a line like "42,Chile,anvil,3", and computes what the order costs.
func priced(_ context.Context, line string) (sale, error) {
	number, rest, _ := strings.Cut(line, ",")
	country, rest, _ := strings.Cut(rest, ",")
	article, pieces, _ := strings.Cut(rest, ",")
	_, noNumber := strconv.ParseUint(number, 10, 64)
	n, noPieces := strconv.Atoi(pieces)
	each, known := prices[article]
	if noNumber != nil || noPieces != nil || !known {
		return sale{}, errNoOrder
	}
	cents := n * each * (100 + taxes[country]) / 100
	text := make([]byte, 0, len(line)+12)
	text = append(append(text, line...), ',')
	return sale{country, cents, append(strconv.AppendInt(text, int64(cents), 10), '\n')}, nil
}

var (
	prices = map[string]int{"anvil": 19900, "bellows": 4950, "crucible": 1250, "drill": 8900, "engine": 99900}
	taxes  = map[string]int{"Austria": 20, "Belgium": 21, "Chile": 19, "Denmark": 25, "Estonia": 24, "France": 20}
)

// megabyte returns a megabyte of lines. One of a thousand isn't an order.
var megabyte = sync.OnceValue(func() []byte {
	articles := []string{"anvil", "bellows", "crucible", "drill", "engine"}
	countries := []string{"Austria", "Belgium", "Chile", "Denmark", "Estonia", "France"}
	var b bytes.Buffer
	for i := 0; b.Len() < 1_000_000; i++ {
		pieces := strconv.Itoa(1 + i%97)
		if i%1000 == 999 {
			pieces = "many"
		}
		fmt.Fprintf(&b, "%010d,%s,%s,%s\n", i, countries[i%len(countries)], articles[i%len(articles)], pieces)
	}
	return b.Bytes()
})

// inMegabyte returns the result for one megabyte.
var inMegabyte = sync.OnceValue(func() int {
	sum, _ := priceAll(repeated(megabyte(), 1))
	return sum
})

// repeated returns a reader of n times the text.
func repeated(text []byte, n int) io.Reader { return &repeating{text: text, times: n} }

type repeating struct {
	text, rest []byte
	times      int
}

func (r *repeating) Read(to []byte) (n int, err error) {
	if len(r.rest) == 0 {
		if r.times == 0 {
			return 0, io.EOF
		}
		r.times--
		r.rest = r.text
	}
	n = copy(to, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// ledger has what a run has priced and written.
type ledger struct {
	cents map[string]int // by country
	bad   int            // lines that aren't orders
	bytes int
}

func newLedger() *ledger { return &ledger{cents: make(map[string]int)} }

// add returns the text of s.
func (l *ledger) add(s sale) []byte {
	l.cents[s.country] += s.cents
	return s.text
}

// Write counts the bytes.
func (l *ledger) Write(b []byte) (int, error) {
	l.bytes += len(b)
	return len(b), nil
}

// sum returns a number that tells whether something is missing.
func (l *ledger) sum() int {
	sum := l.bytes + l.bad*1_000_003
	for _, cents := range l.cents {
		sum += cents
	}
	return sum
}

func priceAll(from io.Reader) (int, error) {
	l := newLedger()
	lines, w := bufio.NewScanner(from), bufio.NewWriter(l)
	for lines.Scan() {
		s, err := priced(background, lines.Text())
		if err != nil {
			l.bad++
			continue
		}
		_, _ = w.Write(l.add(s)) // Flush has the error
	}
	err := errors.Join(lines.Err(), w.Flush())
	return l.sum(), err
}

func priceOnGoroutines(from io.Reader) (int, error) {
	type order struct {
		line string
		sale sale
		err  error
		done chan struct{} // gets a value when the order is priced
	}
	pool := sync.Pool{New: func() any { return &order{done: make(chan struct{}, 1)} }}
	todo, all := make(chan *order, ordersAhead), make(chan *order, ordersAhead)
	lines := bufio.NewScanner(from)
	go func() {
		defer close(all)
		defer close(todo)
		for lines.Scan() {
			o := pool.Get().(*order)
			o.line = lines.Text()
			todo <- o
			all <- o
		}
	}()
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for o := range todo {
				o.sale, o.err = priced(background, o.line)
				o.done <- struct{}{}
			}
		}()
	}
	l := newLedger()
	w := bufio.NewWriter(l)
	for o := range all {
		<-o.done
		if o.err != nil {
			l.bad++
		} else {
			_, _ = w.Write(l.add(o.sale)) // Flush has the error
		}
		*o = order{done: o.done}
		pool.Put(o)
	}
	err := errors.Join(lines.Err(), w.Flush())
	return l.sum(), err
}

// megabytes returns how many megabytes the benchmarks price.
func megabytes() int {
	if testing.Short() {
		return 20
	}
	return 200
}

func BenchmarkETL(b *testing.B) { etl(megabytes()).bench(b) }

// ETLMemory: the largest amount of memory in use, of heap and stacks, during the same work. Most of it is garbage in every column: it is
// collected when there are four megabytes of it.
func BenchmarkETLMemory(b *testing.B) { etl(megabytes()).peak(b) }
