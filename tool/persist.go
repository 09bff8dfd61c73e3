package tool

// persist calls work. If somebody's code ends the goroutine with [runtime.Goexit] before work has returned, persist
// reports that and calls work again, on a goroutine of its own. A panic of work is a defect of this package and goes on.
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
