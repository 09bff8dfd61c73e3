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
//	run?id=7  one run: its steps, its plan, its last events, its error with %+v
//	guards    each guard of Handler.Guard: who is inside, who is queued
//	loops     each loop of Handler.Loop: how many runs live on it, and its lag
//
// The last element of the URL's path is the name of the page; what comes before
// is free, so a Handler needs no http.StripPrefix. A page works without scripts.
// The plan is drawn by package flow/draw; without Graphviz, and for plans of
// very many steps, there is its outline as text.
//
// Each page is JSON as well: as guards.json (index.json for the first), with
// ?format=json, or for a client whose Accept has application/json and not
// text/html. Durations are seconds there. Fields may be added.
//
// # Who may see them
//
// Pages show names of steps, places in the source and texts of errors. Like those
// of net/http/pprof they are for the people who run the program: mount them where
// nobody else gets to. They can only be read: GET and HEAD, anything else is
// answered by 405. All that is shown is escaped, and a Content-Security-Policy
// forbids scripts and everything from elsewhere. Nothing is to be cached.
//
// # What it costs
//
// Memory is bounded by [Options], and by 1000 live steps in each listed run: it is
// about 5 kB for a run that has filled its events. Kept errors are texts, cut off
// after 16 kB. An event of a listed run costs about a third of a microsecond beyond
// what any observer does, most of it for the path of the step, and an error the
// time to print it; an event of an unlisted run costs nothing beyond. A page holds
// up a loop only while it copies what one run has noted.
package debug
