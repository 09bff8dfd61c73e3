package tool

// Enter makes the calling goroutine the loop's, as Iterate does while it runs, but runs nothing. It is for
// drivers that have begun the work of a callback before they had a loop. It reports false, and does nothing,
// while somebody is inside Iterate or Enter. Leave ends it, and must be called on the same goroutine before that ends.
func (m *Manual) Enter() bool { return m.seat.Take() }

// EnterAs is Enter for the goroutine c, which need not be the calling one: a driver may come to have a loop in a call
// that runs on a coroutine of its own, as iterators of [iter.Pull] do. The zero Caller is the calling goroutine.
func (m *Manual) EnterAs(c Caller) bool {
	if c.id == 0 {
		return m.Enter()
	}
	return m.seat.TakeAs(c.id)
}

// Turn is Iterate for who has entered, and stays so: it saves entering for each turn. Nobody else may call it.
func (m *Manual) Turn() (worked bool) { return m.turn() }

// Leave ends Enter. Only who entered may call it.
func (m *Manual) Leave() { m.seat.Leave() }
