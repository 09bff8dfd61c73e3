// Package guard is what sections and guards have to do with each other.
//
// A [Section] is what a step remembers that runs its sub-steps inside of a guard; the
// typed face (package op) and the untyped one (package dyn) use the same. It asks the
// [Guard] with a [Ticket], which the guard lets in at once, keeps in a [Line], or refuses.
// A [Lock] is the part of a mutex that [Deadlocks], the detector, looks at: it finds
// flows that wait for each other.
//
// The machine below knows nothing of this. It keeps one pointer for each fiber
// (frame.Claims), says which fiber can't go on without which (Fiber.Stops), and fails a
// section that a guard evicts (frame.Lease) as it fails a step whose limit has passed.
package guard
