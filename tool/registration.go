package tool

// Registration is a run's registration with the [Host] of its loop. Embed it in the run: attaching then allocates
// nothing. The zero Registration with Stop set is ready to attach, and may be attached again after Detach. It
// must not be copied while attached.
type Registration struct {
	// Stop asks the owner to end: cause wraps ErrShutdown and says why. The owner sets it before Attach.
	//
	// It is called at most once per stay, from any goroutine, and must not block: typically it queues the
	// run's cancel with Immediate. It may call Detach. After Detach has returned Stop is not running and will
	// not be called, so the owner may be used again at once.
	Stop func(cause error)

	host       *Host // where it lives; nil when it lives nowhere
	prev, next *Registration
}

// link puts t in front of at, which for a list's root is the end.
func (t *Registration) link(at *Registration) {
	t.prev, t.next = at.prev, at
	t.prev.next, t.next.prev = t, t
}

func (t *Registration) unlink() {
	t.prev.next, t.next.prev = t.next, t.prev
	t.prev, t.next = nil, nil
}
