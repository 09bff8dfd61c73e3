package stream

// Distinct gives the first element of each key, in order. The rules for the function of [Map] hold for key.
// Distinct remembers the keys as long as the stream runs, so its memory grows with their number. A key that
// differs from itself, like NaN, is always new. A nil key is reported by flow.Plan.Err.
func Distinct[In, T any, K comparable](s Stream[In, T], key func(T) K) Stream[In, T] {
	return elementwise("distinct", s, missing(key == nil, "the key"), func(x *elements[T, T]) func() error {
		x.kept = func(n int) []T { return x.out[:n] }
		seen := make(map[K]unit)
		return func() error {
			for ; x.at < len(x.rest); x.at++ {
				v := x.rest[x.at]
				k := key(v)
				if _, known := seen[k]; known {
					continue
				}
				if k == k { //nolint:gocritic // otherwise, as for NaN, no map would find it again
					seen[k] = unit{}
				}
				x.out[x.n] = v
				x.n++
			}
			return nil
		}
	})
}
