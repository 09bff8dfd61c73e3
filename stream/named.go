package stream

// Named gives a name to the last stage of s, an operator or the source. The name stands with the numbers of the stage in
// observe.Progress events, which logs, metrics and the console show. A stage without a name is called by its
// kind and number, as in "through.1". The number changes when the stream gets another stage before it. A
// sink always goes by its kind and number; flow.Named names only its step.
func Named[In, T any](name string, s Stream[In, T]) Stream[In, T] {
	d := s.given("named")
	return Stream[In, T]{&design[In, T]{d.node, func(e env, in In) inlet[T] {
		opened := d.open(e, in)
		if r := e.p.told; r != nil {
			r.loose[len(r.loose)-1].Name = name
		}
		return opened
	}}}
}
