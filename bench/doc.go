// Package bench measures asyncsteps side by side with what people use instead.
//
// A benchmark is one kind of work: a row. The comment of the row describes the
// work. Its columns do that work on this library and on others, and nearly all
// of them check the result. A benchmark is named BenchmarkRow/col=column,
// followed by /n=size where the work comes in sizes.
//
// The script compare runs everything, in rounds, and makes a report in
// docs/benchmarks; the command report makes the report again from the raw figures.
// The script instructions counts the machine instructions of a few paths.
package bench
