package binval

import "github.com/futoin-go/asyncsteps/step"

// Decoder returns a stage that takes over arguments and returns a T. It is the first stage of a plan that is called from C:
//
//	flow.Then(orderArgs.Decoder(), flow.Then(place, receiptArgs.Encoder()))
//
// The stage takes the values out of the Args that it is given, see [Codec.Decode]; nil stands for no arguments. The owner of the Args
// still resets them after the run, because a run may be cancelled before it reaches this stage.
//
//spec:ftn12 §2.7.2
func (c Codec[T]) Decoder() step.Step[*Args, T] {
	return step.Func(func(_ step.Scope, args *Args) (T, error) {
		var out T
		err := c.Decode(args, &out)
		return out, err
	})
}

// Encoder returns a stage that encodes a T as arguments. It is the last stage of a plan that is called from C. The receiver of the
// result, which may be C, owns it and resets it, see [Codec.Encode]. If a run is cancelled while it passes Args from one stage to the
// next, those Args are lost, together with what they own.
//
//spec:ftn12 §2.7.2
func (c Codec[T]) Encoder() step.Step[T, Args] {
	return step.Func(func(_ step.Scope, in T) (Args, error) {
		return c.Encode(&in)
	})
}
