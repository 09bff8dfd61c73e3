package wasm

import (
	"errors"
	"strconv"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/tetratelabs/wazero/sys"
)

// refuse panics, which ends the call of the guest that has called the host and makes the instance unusable. Violations of rules go to
// peer.forbid instead, after which the instance stays usable.
func refuse(code fault.Code, info string) {
	panic(fault.New(code, info))
}

// reason returns the error of a step whose call of the guest has failed with err.
func (i *instance) reason(err error) error {
	if why := i.stopped(); why != nil {
		return why
	}
	first, stack, _ := strings.Cut(err.Error(), "\nwasm stack trace:\n\t")
	if i.dead != nil && errors.Is(err, i.dead) {
		return i.dead
	}
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return fault.Wrap(fault.CodeOf(refused), "the guest was stopped"+names(stack), refused)
	}
	if exit, ok := errors.AsType[*sys.ExitError](err); ok {
		return fault.New(fault.InternalError, "the guest has ended its program with "+strconv.FormatUint(uint64(exit.ExitCode()), 10))
	}
	if _, what, ok := strings.Cut(first, "wasm error: "); ok {
		first = what
	}
	return fault.Wrap(fault.InternalError, short(first)+names(stack), trap{})
}

// trap is the cause of the error of a guest that has trapped. The error of the runtime isn't kept: its text is long.
type trap struct{}

func (trap) Error() string { return "trap" }

// ErrTrap is in the chain of the error of a step whose guest has done something impossible, such as reading beyond its memory, dividing by
// zero or recursing without end. The info of the error names the trap and the place: the innermost functions of the guest, by the names
// that the module has for them.
var ErrTrap error = trap{}

func names(stack string) string {
	const most = 8
	var b strings.Builder
	n, last := 0, ""
	for line := range strings.Lines(stack) {
		line = strings.TrimSpace(line)
		name, _, ok := strings.Cut(line, "(")
		name = strings.TrimPrefix(name, ".")
		if !ok || name == "" || name == last && strings.HasPrefix(name, importsOf+".") {
			continue // the function that notes the calls of an import has the same name
		}
		last = name
		if n == most {
			b.WriteString(" …")
			break
		}
		if n == 0 {
			b.WriteString(" in ")
		} else {
			b.WriteString(" < ")
		}
		b.WriteString(short(name))
		n++
	}
	return b.String()
}
