// Package sqlite runs the plans of package durable on one SQLite file, in one process, without a server. Runs survive a crash of
// the process: when the file is opened again, each run goes on where it stood.
//
// The machine that executes plans is deterministic, so the events of a run, in the order in which they were committed, are its
// whole history. Events are its start, the results of bodies, timers, signals and others. The machine is given an event after its
// commit. After a restart it is given the events of the file, which brings each run to where it was. Bodies whose results weren't
// committed are called again, with the same durable.Key. Events that come at the same moment share one commit, whichever runs they
// belong to.
//
// A run that waits for a timer, a signal or another run for longer than Options.Idle leaves memory, and is loaded again when
// something comes for it. Runs of plans with iterators, such as those of loopx.EachSeq, stay in memory.
//
// Values and errors are stored as JSON. Messages of protobuf are refused: package json doesn't store them faithfully. A value may
// take about two MiB, as on the other engines.
//
// A run that can't go on with this program, because its plan has changed or a stored value doesn't fit its type any more, stands
// still: Options.OnError is told why, and so are callers of Run.Place. The engine tries it again when [Operator.Retry] asks for
// that, and when the file is opened the next time. If the file can't be written, the runs wait until it can.
//
// Use package durable/temporal for more than one process, or more than one machine.
package sqlite
