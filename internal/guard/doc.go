// Package guard connects sections with their guards.
//
// A [Section] is the state of a step that runs its sub-steps inside of a guard. Package op, whose steps have types, and
// package dyn, whose steps have none, both use it. The section hands a [Ticket] to the [Guard], which lets the ticket in at
// once, queues it, or refuses it. The detector, [Deadlocks], finds flows that wait for each other. The only part of a mutex
// that it looks at is the [Lock].
//
// The machine below keeps one pointer for each fiber and each race (frame.Claims), reports which fiber can't go on before
// another one (Fiber.Stops), and fails a section that a guard evicts (frame.Lease) like a step whose limit has passed.
package guard
