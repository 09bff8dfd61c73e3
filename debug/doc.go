// Package debug shows runs while they run, on web pages: which runs there are, where each of them stands, what it waits for,
// and since when.
//
//	d := debug.New(debug.Options{})
//	d.Guard("door", door) // a syncx.Mutex, …
//	d.Loop("loop", loop)
//	mux.Handle("/debug/asyncsteps/", d)
//	…
//	flow.Start(observe.With(ctx, d), loop, plan, in)
//
// A [Handler] is an observe.Observer, which learns of the runs that are started with its context, and an http.Handler, which
// shows them. It does nothing by itself: no page exists unless it is mounted, no run is listed unless it is observed.
//
// # Pages
//
//	(none)    the live runs and where they stand, and runs that have ended
//	plans     each plan: how many of its runs live, succeeded, failed, how fast
//	plan?id=1 one plan: its last hour, minute by minute, and a picture with times
//	steps     each step of the plans, with the same figures as plans
//	run?id=7  one run: its steps, streams, timeline, plan, last events, its error with %+v
//	guards    each guard of Handler.Guard: who is inside, who is queued, how long they waited
//	loops     each loop of Handler.Loop: how many runs live on it, and its lag
//	jobs      the jobs of each table of Handler.Jobs: their times, which of them run, how the last round went
//	durable   the runs of each engine of Handler.Durable, live ones and ended ones; durable-run: the history of one
//
// The last element of the URL's path is the name of the page. The elements before it don't matter, so a Handler needs no
// http.StripPrefix. A page works without scripts; with them it is updated each second, by an event stream. Clients that look at
// the same page share that work. A plan is shown as a picture, drawn by package flow/draw, and as a list; both can be folded.
// plan.svg?id=7 is the picture of run 7 as a file, if its plan has at most 10,000 parts.
//
// Each page is also served as JSON: as guards.json (index.json for the first), with ?format=json, or to a client whose Accept
// header has application/json and not text/html. Durations are seconds there. Fields may be added.
//
// # Finding runs
//
// The first page takes these parameters, alone or together: plan, step (a part of its name, or its path in the plan), state
// (live, running, suspended, queued, ended, value, failed), code of the error, attr (key, or key=value, see observe.WithAttrs),
// age (the least age, such as 5s), q (a text in the plan's name, an attribute, the error or a step where the run stands, or the
// number of the run), sort (oldest, newest, plan, longest, waiting, attr:key; - in front reverses the order), cols (keys of
// attributes with columns of their own), page and past (the page of live and that of ended runs, from 1), and size (how many runs
// a page has). The pages of a run and of a plan take open and shut: paths of steps to unfold or to fold in the picture. The page
// of a run takes from and to: the seconds that its timeline shows.
//
// Times of plans and steps cover the last five to ten minutes; a percentile is off by at most a sixteenth, and one below a
// microsecond counts as zero.
//
// # Who may see them
//
// Pages show names of steps, attributes, places in the source and texts of errors. Like the pages of net/http/pprof they are for the
// people who run the program: mount them where nobody else gets to. They can only be read, unless [Options.Control] is set. Then
// POST requests cancel and dump runs, open and close breakers, set limits, and run jobs. Such a request must come from a page of
// the same origin or from a client that isn't a browser; only the place where the Handler is mounted keeps such clients out.
// Texts of the program are escaped, and a Content-Security-Policy allows no script but the one that is part of the page.
// Responses forbid caching.
//
// # What it costs
//
// Memory is bounded by [Options], and by 1000 live steps in each listed run. About 4000 steps and 500 plans have figures of
// their own; further steps of a plan share theirs, and so do further plans. A run keeps the numbers of at most 20 streams, and
// of 100 stages of each. Errors are kept as texts, cut off after 16 kB. BenchmarkRun measures what events cost, BenchmarkPage
// what pages cost. A loop may have to wait while a page copies the notes of one run, guard, plan or step, or the list of runs or
// plans. It doesn't wait while the page is written.
package debug
