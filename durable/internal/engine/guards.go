package engine

import (
	"reflect"
	"strings"

	"github.com/futoin-go/asyncsteps/internal/plan"
)

// unrepeatable returns why a step can't be repeated; "" if it can.
func unrepeatable(p plan.Part) string {
	switch {
	case p.Guard != nil:
		t := reflect.TypeOf(p.Guard)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		return guarded(t.PkgPath(), t.String())
	default:
		return p.Confined
	}
}

// guards is the import path of the guards of one process. Guards that several processes share are in packages below that path.
const guards = "github.com/futoin-go/asyncsteps/syncx"

func guarded(pkg, typ string) string {
	switch {
	case pkg == guards:
		return "a " + typ + " lives in one process, and its decisions can't be repeated"
	case strings.HasPrefix(pkg, guards+"/"):
		return "a " + typ + " serves many processes, but a run that another worker repeats would enter it again: put the section inside of a body"
	default:
		return "the guard " + typ + " has decided at times that can't be repeated: put the section inside of a body"
	}
}
