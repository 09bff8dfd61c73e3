// Package growth counts what the project does for n waiters of a guard, branches, levels, iterations or elements, for 2n and for
// 4n, and fails if that grows clearly faster than n log n.
//
// Its test counts statements, not time: it builds the folder program with counters in all packages of the project, as for
// coverage, and sums up how often each statement was executed. So the result hardly depends on the machine or its load.
// Memory that a case takes is counted too, because what the runtime copies is no statement.
//
//	go test ./proptest/growth -count=1 -run=TestGrowth/guards -v    prints the figures of some cases
//
// Without -count=1 the go command may print an old result: it doesn't know of the packages that the test has compiled.
//
// A new guard gets a row in program, and so does a combinator's work for many errors. The combinators themselves are those of
// internal/combinatortest.
package growth
