package stream

// Named gives the last operator of s, or its source, a name. The numbers of the stage have that name in
// observe.Progress events, which logs, metrics and the console show. Without a name the stage is called by its
// kind and number, as in "through.1", which changes when the stream gets another stage before it. For a
// sink, flow.Named gives its plan a name.
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
