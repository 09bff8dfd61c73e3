package main

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// table holds rows of a name and a figure.
type table []struct{ name, figure string }

func (t *table) row(name string, figure any) {
	*t = append(*t, struct{ name, figure string }{name, fmt.Sprint(figure)})
}

func (t *table) print(out io.Writer) {
	width := 0
	for _, r := range *t {
		width = max(width, utf8.RuneCountInString(r.name))
	}
	for _, r := range *t {
		fmt.Fprintf(out, "%-*s%10s\n", width, r.name, r.figure)
	}
}
