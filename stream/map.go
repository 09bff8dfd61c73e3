package stream

// Map gives the result of f for each element, in order.
//
// f is called on the loop of the run, for the elements of a chunk in a row, so it must neither fail nor
// block: see [Func] for a function that may fail, [Await] for one that takes long, [Through] for steps. If
// f panics, the panic is the error of the element, as with Func. A nil f is reported by flow.Plan.Err.
func Map[In, A, B any](s Stream[In, A], f func(A) B) Stream[In, B] {
	return elementwise("map", s, missing(f == nil, "the function"), func(x *elements[A, B]) func() error {
		return func() error {
			in, n := x.rest, x.n
			out := x.out[:len(in)]
			for i := x.at; i < len(in) && n < len(out); i++ {
				x.at, x.n = i, n
				out[n] = f(in[i])
				n++
			}
			x.at, x.n = len(in), n
			return nil
		}
	})
}

// Func is [Map] for a function that may fail, like strconv.Atoi.
//
// Errors: an element for which f fails or panics is given to the nearest [Catch] behind,
// as a [Letter], and the stream goes on. Without a Catch the stream gives the results of the elements before
// and fails with the Letter.
func Func[In, A, B any](s Stream[In, A], f func(A) (B, error)) Stream[In, B] {
	return elementwise("func", s, missing(f == nil, "the function"), func(x *elements[A, B]) func() error {
		return func() error {
			in, n := x.rest, x.n
			out := x.out[:len(in)]
			for i := x.at; i < len(in) && n < len(out); i++ {
				x.at, x.n = i, n
				v, err := f(in[i])
				if err != nil {
					return err
				}
				out[n] = v
				n++
			}
			x.at, x.n = len(in), n
			return nil
		}
	})
}
