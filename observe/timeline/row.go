package timeline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// row is one step of the plan with all its lives in one run.
type row struct {
	path  string
	label string
	depth int // number of steps around this one
	lives []*life
	holds []*row
}

// rows sorts the lives of a run by their steps, in the order of the plan. Lives share a row if their paths, their labels
// and the rows around them are the same.
func rows(lives []*life) []*row {
	type step struct {
		outer       *row
		path, label string
	}
	top := &row{depth: -1}
	known := make(map[step]*row)
	at := map[*life]*row{nil: top}
	for _, l := range lives { // outer steps come before the steps in them
		outer := at[l.outer]
		s := step{outer, l.path, l.label}
		r := known[s]
		if r == nil {
			r = &row{path: l.path, label: l.label, depth: outer.depth + 1}
			known[s] = r
			outer.holds = append(outer.holds, r)
		}
		r.lives = append(r.lives, l)
		at[l] = r
	}
	return top.inOrder()
}

// inOrder returns the rows below r, each before the rows inside it, without recursion because plans may be deep.
func (r *row) inOrder() []*row {
	var all []*row
	for todo := []*row{r}; len(todo) > 0; {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if next != r {
			all = append(all, next)
		}
		slices.SortStableFunc(next.holds, func(a, b *row) int { return comparePaths(a.path, b.path) })
		for _, held := range slices.Backward(next.holds) {
			todo = append(todo, held)
		}
	}
	return all
}

// comparePaths compares numbers by value, so 2 comes before 10.
func comparePaths(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(a, b string) int {
		kindA, numberA := segment(a)
		kindB, numberB := segment(b)
		return cmp.Or(cmp.Compare(kindA, kindB), cmp.Compare(numberA, numberB), cmp.Compare(a, b))
	})
}

// segment splits "par.3" into "par" and 3, "3" into "" and 3.
func segment(s string) (kind string, number int) {
	dot := strings.LastIndexByte(s, '.')
	number, _ = strconv.Atoi(s[dot+1:])
	return s[:max(dot, 0)], number
}

type sums struct {
	lived, waited, queued time.Duration
	failed                int
}

func (r *row) sums() sums {
	var s sums
	for _, l := range r.lives {
		s.lived += l.to - l.from
		if l.err != nil {
			s.failed++
		}
		for _, w := range l.waits {
			if w.queued {
				s.queued += w.to - w.from
			} else {
				s.waited += w.to - w.from
			}
		}
	}
	return s
}
