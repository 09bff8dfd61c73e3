package httpx

import "time"

// Overlap makes downloads fetch n bytes of a part again, until restore is called.
func Overlap(n int64) (restore func()) {
	before := overlap
	overlap = n
	return func() { overlap = before }
}

// SaveEvery makes downloads note what has come as often as d, until restore is called.
func SaveEvery(d time.Duration) (restore func()) {
	before := saveEvery
	saveEvery = d
	return func() { saveEvery = before }
}
