package seam

// Missing stands for a stage that was not given; it can't be run.
func Missing[In, Out any](skip int, what string) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("nil", skip+1, func(e *Emitter) { e.Op(n, &value[Out]{out: Output[Out](e)}) })
	n.Reject(what)
	return NewStage[In, Out](n)
}
