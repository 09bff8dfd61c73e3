package stream

// Filter gives the elements for which keep returns true, in order. The rules for the function of [Map]
// hold for keep.
func Filter[In, T any](s Stream[In, T], keep func(T) bool) Stream[In, T] {
	return elementwise("filter", s, missing(keep == nil, "the function"), func(x *elements[T, T]) func() error {
		x.kept = func(n int) []T { return x.out[:n] }
		return func() error {
			in, n := x.rest, x.n
			out := x.out[:len(in)]
			for i := x.at; i < len(in) && n < len(out); i++ {
				x.at, x.n = i, n
				if v := in[i]; keep(v) {
					out[n] = v
					n++
				}
			}
			x.at, x.n = len(in), n
			return nil
		}
	})
}
