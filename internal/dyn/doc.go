// Package dyn implements the imperative operations of FTN12 §2.2 on the frame machine:
// a step is code that adds sub-steps, waits, succeeds and fails by calling
// methods, one by one. The binary interface is built on it; Go programs
// use packages step and flow, where many of the mistakes that are possible here
// don't compile.
//
// # Steps and levels
//
// A [Step] is the op that the machine executes, and its code calls the Step's methods. While the code runs, the
// Step collects sub-steps, in a level that the first one makes, or an outcome. What it has collected counts when
// the code returns: the level is entered as a frame, the outcome ends the step, a wait suspends it, and nothing at
// all is the implicit success (§1.6). So Success and Fail take effect when the code returns.
//
// Breaking a rule (completing twice, completing a step that has sub-steps, adding after completion) marks the
// step, and the machine fails it with InternalError (E7, E8). Then nothing that the Step has collected is used.
//
// # Values
//
// Four values travel along a level. A step takes the values of the step before it, and leaves its own. The level
// of its sub-steps begins with none, except inside a guard. Values that are dropped have to be reset: by the code
// if it has taken them, otherwise by this package (B1).
//
// # Memory
//
// Levels, and the steps in them, come from a home that belongs to the run. The sub-steps
// of a step go back as soon as the step has ended, and all iterations of a loop share a level,
// so a loop of any length needs the memory of one iteration.
//
// # Concurrency
//
// Methods are for the goroutine of the run's loop. While a [Root] isn't executing any goroutine may call them, one
// at a time. [Done] and the methods of Root that say so are for any goroutine.
package dyn
