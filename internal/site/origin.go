package site

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
)

// Origin records where a value of this module was made: the callers of the function that made it. Site looks them up only when
// it is called.
type Origin [depth]uintptr

// depth is how many callers are recorded.
const depth = 10

// Here returns the Origin of a value that is made by the function which calls Here.
func Here() (o Origin) {
	runtime.Callers(3, o[:])
	return o
}

// Site returns the innermost caller that doesn't belong to the library. If all recorded callers do, as in a program that
// was put into a copy of the module, Site returns the outermost of them. For the zero Origin it returns the zero Site.
func (o *Origin) Site() fault.Site {
	if o[0] == 0 {
		return fault.Site{}
	}
	n := 0
	for n < depth && o[n] != 0 {
		n++
	}
	frames := runtime.CallersFrames(o[:n])
	var site fault.Site
	for {
		fr, more := frames.Next()
		if strings.HasPrefix(fr.Function, "runtime.") { // the runtime has called the outermost caller
			return site
		}
		site = fault.Site{File: fr.File, Line: fr.Line, Func: fr.Function}
		if !more || !ours(&fr) {
			return site
		}
	}
}

// ours reports whether a frame belongs to the library. Tests, benchmarks, examples and commands
// of the module count as programs that use it.
//
// As a rule the file decides, because the name of a closure may begin with the package of the program: it begins with the
// function into which the code around the closure was inlined. The name decides for methods that the compiler has generated,
// which have no file, and for nested modules, which may be stored elsewhere.
func ours(fr *runtime.Frame) bool {
	if strings.HasSuffix(fr.File, "_test.go") {
		return false
	}
	name, inside := strings.CutPrefix(fr.File, root)
	if !inside {
		name, inside = strings.CutPrefix(fr.Function, module)
		inside = inside && !strings.HasSuffix(parse(fr.Function).pkg, "_test")
	}
	if !inside {
		return false
	}
	for _, users := range [...]string{"examples/", "proptest/", "bench/", "cmd/"} {
		if strings.HasPrefix(name, users) {
			return false
		}
	}
	return true
}

var (
	// module is the prefix of the names of this module's functions.
	module = strings.TrimSuffix(reflect.TypeFor[Origin]().PkgPath(), "internal/site")
	// root is the prefix of the paths of this module's files.
	root = func() string {
		_, file, _, _ := runtime.Caller(0)
		return strings.TrimSuffix(file, "internal/site/origin.go")
	}()
)
