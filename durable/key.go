package durable

import (
	"context"
	"strconv"
)

type keyOf struct{}

// Key returns the name of one call of a body, in the context that the body is given: the id of the run, the path of the step,
// and how many times the run has come to it, like "order-17/0/par.1/2#1". A call that is repeated,
// because a worker was lost, has the same Key: give it to services that recognise repeats. A later attempt of
// the plan itself (package retry, a loop) is another call, with the next number. In a run that has begun anew with
// [Again], ~ and the number of the new beginnings follow the id. It is "" elsewhere.
func Key(ctx context.Context) string {
	key, _ := ctx.Value(keyOf{}).(string)
	return key
}

// withKey returns ctx with the key of a call of a body.
func withKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyOf{}, key)
}

// counter holds how many times a run has come to each path.
type counter map[string]int

// next returns the Key of the next call at path, without the id of the run: "/0/2#1". after follows it.
func (c counter) next(generation int, path, after string) string {
	n := c[path] + 1
	c[path] = n
	if generation > 0 {
		return "~" + strconv.Itoa(generation) + "/" + path + "#" + strconv.Itoa(n) + after
	}
	return "/" + path + "#" + strconv.Itoa(n) + after
}
