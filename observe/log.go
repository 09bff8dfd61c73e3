package observe

import (
	"context"
	"log/slog"
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
)

// Log writes each event to logger, at level. The message is the kind of the event in words;
// the attributes are
//
//	plan    the name of the plan
//	run     the number of the run; parent the number of the run that started this one
//	at      the time since the run was started
//	step    the name or kind of the step; path the place of the step in the plan
//	code    the code of the error; info the text of the error without the code
//	outcome what the handler did
//	won     the branches that have decided a race, from 0
//	guard   which guard has changed, and its new state
//	stages  the numbers of a stream, without zeros, as a group for each stage; and last=true when the stream has ended
//
// then the attributes of the run, see [WithAttrs], under their own keys. Attributes without a
// value are left out. A nil logger stands for [slog.Default]. The handler of logger is given the
// context of the run, but without the values that observers added after Log have put into it.
//
// When a run starts, Log asks whether logger is enabled for level. If it isn't, no event of the run is logged, and Log costs
// the run nothing more.
func Log(logger *slog.Logger, level slog.Level) Observer {
	if logger == nil {
		logger = slog.Default()
	}
	return Func(func(ctx context.Context, run Run) (context.Context, Watch) {
		if !logger.Enabled(ctx, level) {
			return ctx, nil
		}
		about := []slog.Attr{slog.String("plan", run.Name()), slog.Uint64("run", run.ID)}
		if run.Parent != 0 {
			about = append(about, slog.Uint64("parent", run.Parent))
		}
		return ctx, func(e Event) {
			logger.LogAttrs(ctx, level, e.Kind.String(), slices.Concat(about, attrs(e), run.Attrs())...)
		}
	})
}

func attrs(e Event) []slog.Attr {
	said := []slog.Attr{slog.Duration("at", e.At)}
	if e.IsStep() {
		said = append(said, slog.String("step", e.Label()), slog.String("path", e.Path()))
	}
	if e.Kind == Handled {
		said = append(said, slog.String("outcome", e.Outcome.String()))
	}
	if won := e.Winners(); won != nil {
		said = append(said, slog.Any("won", won))
	}
	if e.Note != "" {
		said = append(said, slog.String("guard", e.Note))
	}
	if stages, last := e.Stages(); stages != nil {
		said = append(said, ofStages(stages))
		if last {
			said = append(said, slog.Bool("last", true))
		}
	}
	if e.Err != nil {
		said = append(said, slog.String("code", string(fault.CodeOf(e.Err))))
		if info := fault.InfoOf(e.Err); info != "" {
			said = append(said, slog.String("info", info))
		}
	}
	return said
}

func ofStages(stages []Stage) slog.Attr {
	all := make([]slog.Attr, len(stages))
	for i, s := range stages {
		var numbers []slog.Attr
		for name, n := range s.numbers() {
			numbers = append(numbers, slog.Int64(name, n))
		}
		if s.Rate != 0 {
			numbers = append(numbers, slog.Float64("rate", s.Rate))
		}
		all[i] = slog.GroupAttrs(s.Label(), numbers...)
	}
	return slog.GroupAttrs("stages", all...)
}
