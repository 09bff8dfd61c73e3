package fault

import (
	"strconv"
	"strings"
)

// Site is a place in the source. The zero Site is an unknown place.
type Site struct {
	File string // as the compiler recorded it, usually absolute
	Line int    // from 1
	Func string // with its package path, as runtime.Frame has it
}

// String returns "file.go:12", without the folder; "" for the zero Site.
func (s Site) String() string {
	if s.File == "" {
		return ""
	}
	return base(s.File) + ":" + strconv.Itoa(s.Line)
}

// Frame is one level of the plan: one that an error passed, or one of a logical stack.
type Frame struct {
	Path string  // the step's place in the plan, like Error.Path
	Name string  // the step's name or function, like Error.Name; "" if it has none
	Kind string  // the kind of the step: "func", "par", "catch", …
	Site Site    // where the step was built
	What Outcome // how the level handled the error
}

// Outcome is how one level has handled an error that reached the level.
type Outcome uint8

const (
	// Left: no handler was asked, because the step has none, or because it was left by a break, a
	// continue or something outside of it, such as a cancel or a limit.
	Left Outcome = iota
	// Silent: the handler gave no answer; the error went on outwards.
	Silent
	// Replaced: the handler failed with an error, which went on instead, or left a loop with a
	// break or a continue.
	Replaced
	// Recovered: the handler gave a value, sub-steps or a wait; the run went on.
	Recovered
	// Spent: the handler was used up by an earlier error of the same step. This happens when
	// the sub-steps or the wait that a handler has returned fail.
	//
	//spec:ftn12 §1.2.1
	Spent
)

// String returns the outcome in lower case.
func (o Outcome) String() string {
	switch o {
	case Left:
		return "left"
	case Silent:
		return "silent"
	case Replaced:
		return "replaced"
	case Recovered:
		return "recovered"
	case Spent:
		return "spent"
	default:
		return "outcome " + strconv.Itoa(int(o))
	}
}

// base returns what follows the last slash. The compiler records slashes on every system.
func base(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
