package httpx

import "time"

// SaveEvery makes downloads note what has come as often as d, until restore is called.
func SaveEvery(d time.Duration) (restore func()) {
	before := saveEvery
	saveEvery = d
	return func() { saveEvery = before }
}
