package tool

// NewManualOn gives a test a loop on a host, and so a clock, of its own.
func NewManualOn(h *Host, burst int) *Manual { return &Manual{core: newCore(h, burst)} }
