package dyn

import (
	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/tool"
)

// Args are the values that travel between steps.
type Args = binval.Args

// Move moves the values of *from to *to, in place of those that *to holds. In the usual case neither has any, and Move copies
// nothing.
func Move(to, from *Args) {
	if none(from) && none(to) {
		return
	}
	*to = from.Take()
}

func none(a *Args) bool {
	return a[0].IsZero() && a[1].IsZero() && a[2].IsZero() && a[3].IsZero()
}

// Drop resets values that no code will receive. An error or a panic of the reset is reported to host, because no step is to
// blame, and the caller has other things to release.
func Drop(host *tool.Host, a *Args) {
	host.Call(func() {
		if err := a.Reset(); err != nil {
			host.Report(err)
		}
	})
}
