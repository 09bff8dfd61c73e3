// Package growth counts what the library does for n, 2n and 4n waiters of a guard, branches, levels, iterations or elements. Its
// test fails if the counts grow clearly faster than n log n.
//
// The test counts statements, not time: it builds the folder program with counters in all packages of the project, as for
// coverage, and sums up how often each statement was executed. So the result hardly depends on the machine or its load.
// The bytes that a case allocates are counted too, because copying by the runtime isn't a statement.
//
//	go test ./proptest/growth -count=1 -run=TestGrowth/guards -v    prints the figures of some cases
//
// Without -count=1 the go command may print an old result: it doesn't know of the packages that the test has compiled.
//
// Add a row to program for a new guard, and for a combinator that does work for many errors. The combinators themselves come from
// internal/combinatortest.
package growth
