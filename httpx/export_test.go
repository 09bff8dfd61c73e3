package httpx

import "time"

// Overlap sets overlap until restore is called.
func Overlap(n int64) (restore func()) {
	before := overlap
	overlap = n
	return func() { overlap = before }
}

// SaveEvery sets saveEvery until restore is called.
func SaveEvery(d time.Duration) (restore func()) {
	before := saveEvery
	saveEvery = d
	return func() { saveEvery = before }
}
