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
