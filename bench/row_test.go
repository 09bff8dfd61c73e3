package bench

import (
	"fmt"
	"iter"
	"strings"
	"testing"
)

// row is one kind of work, with a column for each library that does it.
type row struct {
	// sizes are the values of n. If it is empty n is 1, and isn't a part of the benchmark's name.
	sizes []int
	// want returns the expected result of an operation of size n.
	want func(n int) int
	// columns are measured one after the other for each size.
	columns []column
}

// column is one library's way to do the work of a row.
type column struct {
	name string
	// build prepares the work for size n. Each column builds here what every operation can use.
	build func(tb testing.TB, n int) operation
	// most is the largest size that is measured; zero for no limit.
	most int
}

// operation does the work once.
type operation func() (int, error)

func (r row) bench(b *testing.B) {
	for n, c := range r.all() {
		b.Run(r.title(n, c), func(b *testing.B) {
			op, want := c.build(b, n), r.want(n)
			b.ReportAllocs()
			report := processors(b)
			for b.Loop() {
				if got, err := op(); got != want || err != nil {
					b.Fatal(got, err)
				}
			}
			report(1, "ns/op")
		})
	}
}

// test runs each column of the row once for each size, without measuring.
func (r row) test(t *testing.T) {
	for n, c := range r.all() {
		t.Run(r.title(n, c), func(t *testing.T) {
			if got, err := c.build(t, n)(); got != r.want(n) || err != nil {
				t.Errorf("got %d, %v, want %d", got, err, r.want(n))
			}
		})
	}
}

// all returns the columns with the sizes at which they are measured.
func (r row) all() iter.Seq2[int, column] {
	return func(yield func(int, column) bool) {
		sizes := r.sizes
		if len(sizes) == 0 {
			sizes = []int{1}
		}
		for _, n := range sizes {
			for _, c := range r.columns {
				if (c.most == 0 || n <= c.most) && !yield(n, c) {
					return
				}
			}
		}
	}
}

// title returns the part of a benchmark's name after that of the row.
func (r row) title(n int, c column) string {
	if len(r.sizes) == 0 {
		return "col=" + c.name
	}
	return fmt.Sprintf("col=%s/n=%d", c.name, n)
}

// Every column of rows does its work. The benchmarks check that too, but many runs of the tests don't run them.
func TestColumns(t *testing.T) {
	for name, r := range rows {
		t.Run(name, r.test)
	}
}

// Names of columns must survive in names of benchmarks, whose parts are separated by a slash, and which end with a dash and the
// number of processors.
func TestNames(t *testing.T) {
	for name, r := range rows {
		for _, c := range r.columns {
			if strings.ContainsAny(c.name, "-/ ") {
				t.Errorf("%s: column %q", name, c.name)
			}
		}
	}
}

// rows are the rows of plain operations.
var rows = map[string]row{
	"Run":           run,
	"Steps":         steps,
	"Into":          into,
	"Catch":         catch,
	"Retry":         retried,
	"HTTP":          requested,
	"Page":          page,
	"Output":        outputs,
	"RPC":           rpc,
	"Transaction":   transactions,
	"Par2":          par2,
	"Tasks":         tasks,
	"TasksGrow":     tasksGrow,
	"Skynet":        skynet,
	"Graph":         graph,
	"Hedge":         hedge,
	"Breaker":       breaker,
	"Saga":          sagas,
	"ETL":           etl(2),
	"Memo":          memo,
	"MemoKept":      memoKept,
	"Par":           par,
	"Wait":          wait,
	"Mutex":         mutex,
	"Throttle":      throttle,
	"Limiter":       limiter,
	"Timeout":       timeout,
	"Start":         start,
	"StartWait":     startWait,
	"StartTimeout":  startTimeout,
	"StartPar2":     startPar2,
	"StartMutex":    startMutex,
	"StreamCheap":   cheap(10_000),
	"StreamWaiting": waiting(2_000),
	"StreamBusy":    busy(500),
}
