package binval

// MaxArgs is the number of arguments that a step can have in the binary interface.
const MaxArgs = 4

// Args holds the arguments of a step, or its result (FutoInArgs in C, 128 bytes on a 64-bit machine). Unused elements are zero. See the
// package documentation for who resets them.
//
// A pointer to the C struct may be converted to a *Args and back.
//
//spec:ftn12 §2.7.1, §2.7.2
type Args [MaxArgs]Value

// Take hands the values on: it returns them, and a is empty afterwards.
func (a *Args) Take() Args {
	taken := *a
	*a = Args{}
	return taken
}

// Reset resets the values from the first to the last, see [Value.Reset], and returns the first error. If a release function panics,
// the values after it are still reset.
func (a *Args) Reset() (err error) {
	reset := func(v *Value) {
		if e := v.Reset(); err == nil {
			err = e
		}
	}
	defer reset(&a[3])
	defer reset(&a[2])
	defer reset(&a[1])
	reset(&a[0])
	return err
}
