package main

import "strings"

// explained are the mutants that survive because they change nothing that
// matters, by place and edit.
var explained = []struct{ file, function, old, why string }{
	{"frame/unwind.go", "ask", "r.doing = stepping", "while a strand is unwound, doing is set anew before any code that can panic"},
	{"frame/advance.go", "advance", "r.left <= 0", "a run takes one step more in a turn, which nothing may depend on (O4)"},
}

// explanation is why the survival of m is right; "" if it isn't known to be.
func explanation(m *mutant) string {
	for _, e := range explained {
		if strings.HasSuffix(m.file, e.file) && m.function == e.function && strings.Join(strings.Fields(m.old), " ") == e.old {
			return e.why
		}
	}
	return ""
}
