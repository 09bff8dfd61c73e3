package debug

// FirstRun returns the ID of the oldest live run.
func FirstRun(h *Handler) uint64 {
	all, _ := h.book.running()
	return all[0].run.ID
}

// PagesMade returns how many pages were made for live updates.
func PagesMade(h *Handler) int {
	h.feed.mu.Lock()
	defer h.feed.mu.Unlock()
	return h.feed.made
}

// Sample adds a sample to the histories, if the last one is a second old.
func Sample(h *Handler) { h.sample() }

// ThreeDigits is how pages write rates.
func ThreeDigits(f float64) string { return threeDigits(f) }
