package debug

import "strings"

// heading is the head of a column. A click on it sorts the list, and a second click reverses the order.
type heading struct {
	Text string
	Link string // "" if the list can't be sorted by the column
	Aria string // "ascending" or "descending" if the list is sorted by the column, otherwise ""
}

// newHeading returns the head of a column for the given order and its reverse, "-" + order. falling tells that the order puts
// large values first. now is the order that the list has.
func newHeading(text, order, now string, falling bool, link func(sort string) string) heading {
	h := heading{Text: text, Link: link(order)}
	sorted, reversed := strings.CutPrefix(now, "-")
	if sorted != order {
		return h
	}
	if !reversed {
		h.Link = link("-" + order)
	}
	h.Aria = "ascending"
	if falling != reversed {
		h.Aria = "descending"
	}
	return h
}
