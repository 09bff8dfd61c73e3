package draw

import (
	"fmt"
	"io"
)

const bend = 6

// write writes the line as part of an SVG path. A line that isn't curved is straight, with round corners. A curved one has
// a curve between two points unless they are above each other.
func (w wire) write(to io.Writer) {
	points := w.distinct()
	fmt.Fprintf(to, "M%d %d", points[0].x, points[0].y)
	for i := 1; i < len(points); i++ {
		from, at := points[i-1], points[i]
		switch {
		case w.curved && from.x != at.x:
			middle := (from.y + at.y) / 2
			fmt.Fprintf(to, "C%d %d %d %d %d %d", from.x, middle, at.x, middle, at.x, at.y)
		case w.curved || i == len(points)-1:
			fmt.Fprintf(to, "L%d %d", at.x, at.y)
		default:
			next := points[i+1]
			in, out := at.toward(from), at.toward(next)
			fmt.Fprintf(to, "L%d %dQ%d %d %d %d", in.x, in.y, at.x, at.y, out.x, out.y)
		}
	}
}

// distinct returns the points of w, without those that repeat the point before, and those between two
// points on the same horizontal or vertical line.
func (w wire) distinct() []point {
	var points []point
	for i, at := range w.points {
		n := len(points)
		if n > 0 && points[n-1] == at {
			continue
		}
		if n > 1 && i > 0 && (points[n-2].x == points[n-1].x && points[n-1].x == at.x || points[n-2].y == points[n-1].y && points[n-1].y == at.y) {
			points[n-1] = at
			continue
		}
		points = append(points, at)
	}
	return points
}

func (p point) toward(other point) point {
	near := func(from, to int) int {
		r := min(bend, max(to-from, from-to)/2)
		if to < from {
			return from - r
		}
		return from + r
	}
	return point{near(p.x, other.x), near(p.y, other.y)}
}

// writeHead writes the head of an arrow, which points to the right or downwards.
func (w wire) writeHead(to io.Writer) {
	at, from := w.points[len(w.points)-1], w.points[len(w.points)-2]
	if w.style == dotted && from.y == at.y {
		fmt.Fprintf(to, "M%d %dl-7 -4v8Z", at.x, at.y)
		return
	}
	fmt.Fprintf(to, "M%d %dl-4 -7h8Z", at.x, at.y)
}
