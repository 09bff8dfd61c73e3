package tool

// Registration is a run's registration with the [Host] of its loop. It isn't for programs: runs of plans register
// themselves. Embed it in the run: attaching then allocates nothing. The zero Registration with Stop set is ready to
// attach, and may be attached again after Detach. It must not be copied while attached.
type Registration struct {
	// Stop asks the run to end. cause is the reason given to [Host.Stop]; that of a Shutdown wraps
	// ErrShutdown. The run sets the field before Attach.
	//
	// It is called at most once between Attach and Detach, from any goroutine, and must not block: typically
	// it queues the run's cancel with Immediate. It may call Detach. After Detach has returned, no other goroutine
	// is inside Stop and none will call it, so the run may be reused at once.
	Stop func(cause error)

	host       *Host // the host that it is attached to, or nil
	prev, next *Registration
}

// link inserts t before at. If at is the root of a ring, t becomes the last one.
func (t *Registration) link(at *Registration) {
	t.prev, t.next = at.prev, at
	t.prev.next, t.next.prev = t, t
}

func (t *Registration) unlink() {
	t.prev.next, t.next.prev = t.next, t.prev
	t.prev, t.next = nil, nil
}
