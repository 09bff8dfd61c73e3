package debug

import (
	"cmp"
	"strconv"
	"strings"
)

// holder returns the path of the step or branch that holds the step or branch at path, or "".
func holder(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

// comparePaths orders steps as in the plan: numbers are compared as numbers, and a step comes before the steps it holds.
func comparePaths(a, b string) int {
	for a != "" && b != "" {
		var segmentA, segmentB string
		segmentA, a, _ = strings.Cut(a, "/")
		segmentB, b, _ = strings.Cut(b, "/")
		if segmentA == segmentB {
			continue
		}
		if c := compareSegments(segmentA, segmentB); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b)) // one of them is ""
}

func compareSegments(a, b string) int {
	forkA, numberA := splitSegment(a)
	forkB, numberB := splitSegment(b)
	return cmp.Or(cmp.Compare(forkA, forkB), cmp.Compare(numberA, numberB))
}

// splitSegment splits "par.12" into "par" and 12. "12" has no fork, and a segment without a number is all fork.
func splitSegment(segment string) (fork string, number int) {
	dot := strings.LastIndexByte(segment, '.')
	number, err := strconv.Atoi(segment[dot+1:])
	if err != nil {
		return segment, 0
	}
	return segment[:max(0, dot)], number
}
