package engine

import (
	"context"
	"strconv"
	"strings"
)

type keyOf struct{}

// Key returns the key that WithKey was given; "" if there is none.
func Key(ctx context.Context) string {
	key, _ := ctx.Value(keyOf{}).(string)
	return key
}

// WithKey returns ctx with the key of a call of a body.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOf{}, key)
}

// Counter holds how many calls a run has made at each path.
type Counter map[string]int

// Next counts a call at path, and returns its key without the id of the run: the path and the number of the call, such as
// "/0/2#1", and then the text after. A generation above 0 stands in front, as in "~3/0/2#1".
func (c Counter) Next(generation int, path, after string) string {
	n := c[path] + 1
	c[path] = n
	if generation > 0 {
		return "~" + strconv.Itoa(generation) + "/" + path + "#" + strconv.Itoa(n) + after
	}
	return "/" + path + "#" + strconv.Itoa(n) + after
}

// GenerationOf returns the generation that [Counter.Next] was given for key; -1 if key has a generation that can't be read.
func GenerationOf(key string) int {
	number, later := strings.CutPrefix(key, "~")
	if !later {
		return 0
	}
	number, _, _ = strings.Cut(number, "/")
	n, err := strconv.Atoi(number)
	if err != nil {
		return -1
	}
	return n
}
