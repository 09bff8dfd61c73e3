package draw

import "github.com/futoin-go/asyncsteps/flow"

// theme is the colour and the sign of steps that do similar things.
type theme struct {
	class string
	sign  string // an SVG path of 12 by 12 pixels; "" for no sign
}

var (
	works  = &theme{"works", ""}
	calls  = &theme{"calls", "M1 6H10M6 2L10 6L6 10"}
	limits = &theme{"limits", "M6 1a5 5 0 1 0 .01 0M6 3V6L8 8"}
	again  = &theme{"again", "M10 4A4.6 4.6 0 1 0 10.5 7M10.5 1V4.5H7"}
	race   = &theme{"race", "M2 11V1M2 2H10L8 4.5L10 7H2"}
	splits = &theme{"splits", "M6 1V4M2 11V7Q2 4 6 4Q10 4 10 7V11"}
	guards = &theme{"guards", "M2.5 5.5H9.5V11H2.5ZM4 5.5V3.5a2 2 0 0 1 4 0V5.5"}
	undoes = &theme{"undoes", "M4 1L1 4L4 7M1 4H8A3.2 3.2 0 0 1 8 10.5H4"}
	rescue = &theme{"rescue", "M6 1L11 3V6Q11 9.5 6 11.5Q1 9.5 1 6V3Z"}
	groups = &theme{"groups", ""}
)

// themes maps kinds of steps to their themes. For other kinds the theme depends on what the step holds.
var themes = map[string]*theme{
	"await": calls, "awaitchan": calls, "awaitrun": calls, "do": calls, "act": calls, "ask": calls, "signal": calls,
	"timeout": limits, "deadline": limits, "grace": limits, "linger": limits, "shield": limits, "delay": limits,
	"retry": again, "attempt": again,
	"first": race, "some": race, "race": race, "hedge": race,
	"sync": guards,
	"saga": undoes, "undo": undoes, "bracket": undoes,
	"catch": rescue, "try": rescue, "oncancel": rescue,
}

func themeOf(t *flow.Tree) *theme {
	switch {
	case t == nil || t.Role == flow.RolePlan:
		return groups
	case t.Role == flow.RoleHandler || t.Role == flow.RoleHook:
		return rescue
	case t.Role == flow.RoleUndo:
		return undoes
	case t.Loop:
		return again
	case themes[t.Kind] != nil:
		return themes[t.Kind]
	case len(t.Holds) > 0 && t.Holds[0].Role == flow.RoleBranch:
		return splits
	case folds(t):
		return groups
	default:
		return works
	}
}
