package debug

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// holder is the path of what holds the step or branch at path, "" for none.
func holder(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

// leaves gives, in the order of the plan, the paths at which a step stands that
// holds no other one: where the run stands.
func leaves(steps map[string]standing) []string {
	holders := make(map[string]bool)
	for path := range steps {
		for path = holder(path); path != "" && !holders[path]; path = holder(path) {
			holders[path] = true
		}
	}
	var found []string
	for path := range steps {
		if !holders[path] {
			found = append(found, path)
		}
	}
	slices.SortFunc(found, comparePaths)
	return found
}

// comparePaths puts steps in the order of the plan: numbers count as such, and a
// step comes before what it holds.
func comparePaths(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), compareSegments)
}

func compareSegments(a, b string) int {
	forkA, numberA := splitSegment(a)
	forkB, numberB := splitSegment(b)
	return cmp.Or(cmp.Compare(forkA, forkB), cmp.Compare(numberA, numberB))
}

// splitSegment takes "par.12" apart, and "12", which has no fork.
func splitSegment(segment string) (fork string, number int) {
	dot := strings.LastIndexByte(segment, '.')
	number, err := strconv.Atoi(segment[dot+1:])
	if err != nil {
		return segment, 0
	}
	return segment[:max(0, dot)], number
}
