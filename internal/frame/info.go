package frame

import (
	"runtime"

	"github.com/futoin-go/asyncsteps/fault"
)

// Info says what a step is, apart from where it stands. It is immutable and
// shared by all instances of a plan and by all goroutines.
type Info struct {
	Kind string  // what built it: "func", "par", "timeout", …
	Name string  // given by the user; may be empty
	PC   uintptr // where it was built
}

// String names the step for a person: its name or kind, and its build site.
func (i *Info) String() string {
	name := i.Name
	if name == "" {
		name = i.Kind
	}
	if site := i.Site().String(); site != "" {
		return name + " (" + site + ")"
	}
	return name
}

// Site resolves the place in the source where the step was built.
func (i *Info) Site() fault.Site {
	if i.PC == 0 {
		return fault.Site{}
	}
	fr, _ := runtime.CallersFrames([]uintptr{i.PC}).Next()
	return fault.Site{File: fr.File, Line: fr.Line, Func: fr.Function}
}

// Caller is the program counter of the function skip levels above its caller,
// as Info.PC wants it.
func Caller(skip int) uintptr {
	var pc [1]uintptr
	runtime.Callers(skip+2, pc[:])
	return pc[0]
}
