// Package debug shows runs while they run, on web pages: which there are, where
// each of them stands, and what it has been waiting for, for how long.
//
//	d := debug.New(debug.Options{})
//	d.Guard("door", door) // a syncx.Mutex, …
//	d.Loop("loop", loop)
//	mux.Handle("/debug/asyncsteps/", d)
//	…
//	flow.Start(observe.With(ctx, d), loop, plan, in)
//
// A [Handler] is an observe.Observer, which learns of the runs that are started
// with its context, and an http.Handler, which shows them. It does nothing by
// itself: no page exists unless it is mounted, no run is listed unless it is
// observed.
//
// # Pages
//
//	(none)    the live runs and where they stand, and those that ended last
//	plans     each plan: how many of its runs live, succeeded, failed, how fast
//	plan?id=1 one plan: its last hour, minute by minute, and a picture with times
//	steps     each step of the plans, with figures as of plans
//	run?id=7  one run: its steps, streams, timeline, plan, last events, its error with %+v
//	guards    each guard of Handler.Guard: who is inside, who is queued, how long they waited
//	loops     each loop of Handler.Loop: how many runs live on it, and its lag
//	jobs      the jobs of each table of Handler.Jobs: their times, what is at work, how the last round went
//	durable   the runs of each engine of Handler.Durable, also those that have ended; durable-run: the history of one
//
// The last element of the URL's path is the name of the page; what comes before
// is free, so a Handler needs no http.StripPrefix. A page works without scripts; with
// them it is updated each second, by an event stream. Clients that look at the same page share
// the work of that. The plan is a picture of package flow/draw and a list, both of which can be folded. plan.svg?id=7 is
// the picture as a file, if the plan has at most 10,000 parts.
//
// Each page is JSON as well: as guards.json (index.json for the first), with
// ?format=json, or for a client whose Accept has application/json and not
// text/html. Durations are seconds there. Fields may be added.
//
// # Finding runs
//
// The first page takes these parameters, any of them together: plan, step (a part of its
// name, or its path in the plan), state (live, running, suspended, queued, ended, value,
// failed), code of the error, attr (key, or key=value, see observe.WithAttrs), age (at
// least so old, as 5s), q (a text in the plan's name, an attribute, the error or a step where the run
// stands, or the number of the run), sort (oldest, newest, plan,
// longest, waiting, attr:key, and with - in front the reverse), cols (keys of attributes with columns of their own), page and past of
// live and ended runs, size of a page. The pages of a run and of a plan take paths of steps that are
// to be unfolded or folded in the picture, open and shut; that of a run takes from and to, the seconds that the timeline shows.
//
// Times of plans and steps are those of the last five to ten minutes; a percentile is
// right to a sixteenth of it.
//
// # Who may see them
//
// Pages show names of steps, attributes, places in the source and texts of errors. Like
// those of net/http/pprof they are for the people who run the program: mount them where
// nobody else gets to. They can only be read, unless [Options.Control] is set: then runs
// can be cancelled and dumped, breakers opened and closed, limits set, and jobs run, by POST requests: those of pages of the same origin,
// and those of clients that aren't browsers, which nothing but the place where the Handler is mounted keeps out.
// All that is shown is escaped, and a Content-Security-Policy allows nothing but the
// style and the script that are part of the page. Nothing is to be cached.
//
// # What it costs
//
// Memory is bounded by [Options], and by 1000 live steps in each listed run: it is about
// 15 kB for a run that has filled its events and spans, and 3 kB for each of at most
// 4000 steps of plans that have figures; 5.5 kB for the last hour of each of 500 plans; of 20 streams of a run and 100 stages of each there are numbers. Kept errors are texts, cut off after 16 kB, and each error in them after 4 kB. An
// event of a listed run costs about half a microsecond beyond what any observer does; an
// event of an unlisted run costs nothing beyond. A page costs milliseconds, however many
// runs live and however many steps they have, because what it asks for is kept as runs go
// on: BenchmarkPage tells. It holds up a loop only while it copies what one run has noted.
package debug
