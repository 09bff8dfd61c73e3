package seam

// Given is the stage of s, which somebody has given: if it is nil, a stage that
// can't be run, for the reason missing.
func Given[In, Out any](s interface{ Stage() *Stage[In, Out] }, missing string) *Stage[In, Out] {
	if s != nil {
		if st := s.Stage(); st != nil {
			return st
		}
	}
	return Missing[In, Out](missing)
}

// Missing stands for a stage that was not given; it can't be run.
func Missing[In, Out any](what string) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("nil", func(e *Emitter) { e.Op(n, &value[Out]{out: Output[Out](e)}) })
	n.Reject(what)
	return NewStage[In, Out](n)
}
