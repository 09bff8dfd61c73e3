// Package prometheus counts and times runs, for Prometheus.
//
//	metrics := prometheus.New(prometheus.Options{})
//	registry.MustRegister(metrics)
//	metrics.Guard("backend", backend)
//	metrics.Loop("main", loop)
//	ctx = observe.With(ctx, metrics)
//
// # Metrics
//
//	asyncsteps_runs_started_total{plan}         runs that were started
//	asyncsteps_runs_in_flight{plan}             runs that have not ended yet
//	asyncsteps_runs_ended_total{plan,code}      runs that have ended, by the code of their error, or "OK"
//	asyncsteps_cancels_total{plan}              runs that were cancelled from outside
//	asyncsteps_timeouts_total{plan}             limits that have passed: of steps, of graces, and of contexts of runs
//	asyncsteps_errors_raised_total{code}        errors raised at steps, including errors that a handler took
//	asyncsteps_step_duration_seconds{step}      histogram: how long named steps took, however they ended
//	asyncsteps_step_wait_seconds{step}          histogram: waits of named steps for something outside
//	asyncsteps_queue_seconds{guard,step}        histogram: waits in the queue of a guard, by the section's name
//	asyncsteps_stream_elements_total{plan,stage,fate}  elements of stages of streams: in, out, dead, failed, lost, as in observe.Stage
//	asyncsteps_stream_held{plan,stage}          how many elements are in a stage of a stream now
//	asyncsteps_guard_inside{guard}              how many flows are inside of a guard now
//	asyncsteps_guard_queued{guard}              how many flows wait for a guard now
//	asyncsteps_loop_lag_seconds{loop}           how long a loop takes to get to a new callback
//	asyncsteps_names_folded_total{labels}       how often a name was counted as "other", by its label or pair of labels
//
// Times are those of the run's loop; in tooltest they are virtual. A wait is
// observed when it is over, even if a cancel or a timeout ends it.
//
// Only steps that have a name are timed: the name given by flow.Named, or else that of the function that they call, see
// flow.Tree.Func. Use flow.Named for the steps on a dashboard: a function literal is named by its line, which changes. Guards
// are known by the name that they are registered with. The label guard is empty if the guard isn't registered, and the label
// step is empty if the section has no name. The label plan is observe.Run.Name.
//
// The label stage is the name given by stream.Named, or the kind and number of the stage. Streams report their counts at most
// every 100 ms, and at their end.
//
// So the number of series depends on the names in the program's source. For programs that make names up at run time there is
// a bound, [Options].MaxNames. By default each label has at most 1000 values, and each pair of labels of one metric, such as plan
// and code, has at most 1000 pairs of values. Further names are counted as "other", and so are both names of a further pair. Only
// runs that succeed keep their code. With the default buckets there are fewer than 70,000 series, of which steps and queues take 57,000;
// guards and loops that are registered come on top. If names_folded_total is above 0, the bound was reached for the labels that it
// has. Names that aren't valid UTF-8 are made valid.
//
// # Limits
//
// If steps are more than 64 levels deep, and several of them have the same position in different branches, some times
// may be missing.
package prometheus
