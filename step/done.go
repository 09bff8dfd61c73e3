package step

import "github.com/futoin-go/asyncsteps/internal/op"

// Done completes a step that waits (see [Wait]). It is a small value: copy it, keep it, use it
// from any goroutine.
//
// The first completion counts and reports true; the step goes on later, on its loop, never
// inside the call. Later completions do nothing and report false. So does a completion of a step
// that is being left, for example because of a timeout or a cancel. If the begin function given to
// [Wait] completes the step twice, the step fails with InternalError. A deterministic loop refuses
// the completions of other goroutines, see tool.WithDeterministic. The zero Done completes nothing.
//
//spec:ftn12 §1.3; rules O5, C6
type Done[Out any] struct {
	slot *op.Wait[Out]
	gen  uint64
}

// Succeed completes the step with v. It reports false if the step can't be completed any more.
//
//spec:ftn12 §2.2.2 success
func (d Done[Out]) Succeed(v Out) bool { return d.slot != nil && d.slot.Succeed(d.gen, v) }

// Fail completes the step with err, or with an InternalError if err is nil. It reports false if
// the step can't be completed any more.
//
//spec:ftn12 §2.2.2 error
func (d Done[Out]) Fail(err error) bool {
	if err == nil {
		err = errNilFailure
	}
	return d.slot != nil && d.slot.Fail(d.gen, err)
}

// Valid reports whether the step can still be completed. Right after the call another
// goroutine may complete it, or the loop may end it.
func (d Done[Out]) Valid() bool { return d.slot != nil && d.slot.Valid(d.gen) }
