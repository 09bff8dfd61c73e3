// Package guard connects sections with their guards.
//
// A [Section] is the state of a step that runs its sub-steps inside of a guard. Package op,
// whose steps have types, and package dyn, whose steps have none, both use it. The section asks
// the [Guard] with a [Ticket], which the guard lets in at once, queues, or refuses.
// [Deadlocks], the detector, finds flows that wait for each other. A [Lock] is the part of a
// mutex that it looks at.
//
// The machine below keeps one pointer for each fiber and each race (frame.Claims), reports which
// fiber waits for which (Fiber.Stops), and fails a section that a guard evicts (frame.Lease) like a step whose limit has
// passed.
package guard
