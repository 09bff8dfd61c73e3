package debug

func FirstRun(h *Handler) uint64 {
	all, _ := h.book.running()
	return all[0].run.ID
}

func PagesMade(h *Handler) int {
	h.feed.mu.Lock()
	defer h.feed.mu.Unlock()
	return h.feed.made
}

func Sample(h *Handler) { h.sample() }

func ThreeDigits(f float64) string { return threeDigits(f) }

// Formatted returns how many runs have their attributes as text.
func (h *Handler) Formatted() (n int) {
	h.book.mu.Lock()
	defer h.book.mu.Unlock()
	for _, r := range h.book.known {
		r.saying.Lock()
		if r.words != nil {
			n++
		}
		r.saying.Unlock()
	}
	return n
}
