package debug

// FirstRun is the ID of the oldest live run.
func FirstRun(h *Handler) uint64 {
	all, _ := h.book.running()
	return all[0].run.ID
}

// PagesMade is how many pages were made for live updates.
func PagesMade(h *Handler) int {
	h.feed.mu.Lock()
	defer h.feed.mu.Unlock()
	return h.feed.made
}

// Sample adds to the histories, if it is time.
func Sample(h *Handler) { h.sample() }
