package step

import "context"

// Do is [Await] for a body that is run for its effect: the step passes its input on when
// body has returned nil.
//
//	step.Do(func(ctx context.Context, o Order) error { return mail.Confirm(ctx, o) })
//
// All else, errors, cancellation and the grace, is as for Await. A nil body is reported
// as that of [Map]. FTN12 §1.13, §2.2.1 await.
func Do[In any](body func(ctx context.Context, in In) error) Step[In, In] {
	var await func(context.Context, In) (In, error)
	if body != nil {
		await = func(ctx context.Context, in In) (In, error) { return in, body(ctx, in) }
	}
	s := Await(await)
	s.Stage().Node().Relabel("do", "step.Do: the body is nil")
	return s
}
