package fault

import "fmt"

// Panic is a panic of the user's code that was caught in a run. It is the Cause of the
// InternalError that the panic became:
//
//	if p, ok := errors.AsType[*fault.Panic](err); ok { … p.Value … }
type Panic struct {
	Value any    // the argument of panic
	Stack []byte // of the panicking goroutine, as debug.Stack prints it
}

// Error returns "panic: " and the value.
func (p *Panic) Error() string {
	if p == nil {
		return "panic"
	}
	return "panic: " + line(fmt.Sprint(p.Value))
}

// Unwrap returns the panic's value if it is an error, such as a runtime.Error; otherwise nil.
func (p *Panic) Unwrap() error {
	if p == nil {
		return nil
	}
	err, _ := p.Value.(error)
	return err
}
