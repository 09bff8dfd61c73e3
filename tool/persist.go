package tool

// persist calls work. If work ends the goroutine with [runtime.Goexit], persist reports ErrGoexit and calls work again, on a
// new goroutine. A panic of work is passed on.
func (h *Host) persist(work func()) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			panic(v)
		}
		defer func() { go h.persist(work) }() // deferred: the error handler may end this goroutine too
		h.Report(ErrGoexit)
	}()
	work()
	returned = true
}
