package seam

// Missing stands for a stage that was not given; it can't be run.
func Missing[In, Out any](skip int, what string) *Stage[In, Out] {
	n := NewNode[In, Out]("nil", skip+1, func(*Emitter) {})
	n.Reject(what)
	return NewStage[In, Out](n)
}
