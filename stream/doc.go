// Package stream takes many values through stages, with backpressure.
//
//	totals := stream.Fold(
//		stream.Through(
//			stream.Func(stream.Lines[*os.File](1000), parse),
//			stream.Bound{Limit: 16, Buffer: 64},
//			retry.Of(policy, flow.Timeout(time.Second, enrich)),
//		),
//		newTotals, addRow,
//	)
//	result, err := flow.Run(ctx, totals, file)
//
// A [Stream] describes elements: a source, and operators behind it. A sink, such as [Fold],
// makes a flow.Plan of it, which is a step like any other: it is run, limited, retried,
// cancelled and observed, and stands in longer plans. The input of the plan is that of the source.
//
// # How elements move
//
// Elements are pulled through the stages in chunks. [Map], [Func], [Filter] and their like deal with a chunk in
// a plain loop. [Through] runs each element through steps, as many at a
// time as its [Bound] allows. [Await], [Generate] and [Consume] are for blocking code, and call their functions
// on goroutines. [Records], [Write] and [Send] do that as well. Other functions run on the loop of the run, one at a
// time, so they need no locks among themselves.
//
// A stage takes elements from the one before it when there is room for them. So a slow sink slows the source,
// and memory depends on the bounds and not on the length of the stream, except in stages that keep what they
// have seen, such as [Collect] and [Distinct].
//
// # How elements end
//
// An element that a source has given ends in one of four ways: it reaches the sink, an operator like [Filter] drops it, a
// stage fails for it, or it is lost because the stream has ended too early. In the last two cases a [Catch] behind
// the stage gets a [Letter] with the element, for a dead-letter file for example. If a stage has failed for the element, the
// stream can go on. Without a Catch, the stream fails with the letter of an element for which a stage has failed, and
// lost elements are only counted.
//
// When a stream ends early, fails or is cancelled, steps under way are cancelled leaf to root, iterators are
// stopped, and the stream waits for its goroutines, as step.Await does.
//
// The package isn't a part of FTN12; it builds on the steps of FTN12.
package stream
