package stream

// Scan is a [Fold] that gives its value after each element. The rules for the function of [Map] hold for f;
// if f panics at an element, the next one goes on with the value before. start is called once for
// each run. A nil function is reported by flow.Plan.Err.
func Scan[In, T, Acc any](s Stream[In, T], start func() Acc, f func(Acc, T) Acc) Stream[In, Acc] {
	bad := missing(start == nil || f == nil, "a function")
	return elementwise("scan", s, bad, func(x *elements[T, Acc]) func() error {
		acc := start()
		return func() error {
			for ; x.at < len(x.rest); x.at++ {
				acc = f(acc, x.rest[x.at])
				x.out[x.n] = acc
				x.n++
			}
			return nil
		}
	})
}
