package tool

// Enter makes the calling goroutine the loop's, as Iterate does while it runs, but runs nothing. It is for
// drivers that have begun the work of a callback before they had a loop. It reports false, and does nothing,
// while somebody is inside Iterate or Enter. Leave ends it, and must be called on the same goroutine before that ends.
func (m *Manual) Enter() bool { return m.seat.Take() }

// Turn is Iterate for who has entered, and stays so: it saves entering for each turn. Nobody else may call it.
func (m *Manual) Turn() (worked bool) { return m.turn() }

// Leave ends Enter. Only who entered may call it.
func (m *Manual) Leave() { m.seat.Leave() }
