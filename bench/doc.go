// Package bench measures asyncsteps side by side with what people use instead.
//
// A benchmark is one kind of work: a row. Its columns do the same work, as the
// comment of the row says, on this library and on others, and nearly all check
// its result. A benchmark is named BenchmarkRow/col=column, followed by /n=size
// where the work comes in sizes.
//
// The script compare runs everything, in rounds, and makes a report in
// docs/benchmarks; the command report makes it again from the raw figures. The
// script instructions counts the machine instructions of a few paths.
package bench
