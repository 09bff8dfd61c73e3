package explore

import "github.com/futoin-go/asyncsteps/internal/usercode"

// sheltered returns body, except that a panic becomes an error, and that told, if it isn't nil, is called if body ends
// its goroutine.
func sheltered(body Body, told func(x *Trial)) Body {
	return func(x *Trial) (err error) {
		usercode.Protect(func() { err = body(x) }, func(broken error) {
			switch {
			case broken == nil:
			case broken != usercode.ErrGoexit: //nolint:errorlint // the very one that Protect gives
				err = broken
			case told != nil:
				told(x)
			}
		})
		return err
	}
}
