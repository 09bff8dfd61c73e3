// Package sqlitedebug shows the runs of a file of durable/sqlite, with their histories, on the console of package debug. It is a
// separate package, so that programs without a console don't link its pages.
//
//	console.Durable("orders", sqlitedebug.Of(file.Operator()))
package sqlitedebug

import (
	"context"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
)

// Of returns the argument of debug.Handler.Durable for the runs that o looks after. Runs that have ended are shown as long as the file
// keeps them.
func Of(o *sqlite.Operator) debug.Durable {
	return debug.Durable{
		Runs: func(ctx context.Context, text, state string, limit int) (all []debug.DurableRun, err error) {
			for info, err := range o.Runs(ctx, sqlite.Query{Contains: text, State: sqlite.State(state), Last: limit}) {
				if err != nil {
					return all, err
				}
				all = append(all, run(info))
			}
			return all, nil
		},
		History: func(ctx context.Context, id string) (debug.DurableRun, []debug.DurableEvent, error) {
			info, err := o.Run(ctx, id)
			if err != nil {
				return debug.DurableRun{}, nil, err
			}
			h, err := o.History(ctx, id)
			events := make([]debug.DurableEvent, len(h.Events))
			for i, e := range h.Events {
				events[i] = debug.DurableEvent{At: e.At, Kind: e.Kind, Name: e.Name, Data: string(e.Data)}
			}
			return run(info), events, err
		},
	}
}

func run(i sqlite.RunInfo) debug.DurableRun {
	return debug.DurableRun{ID: i.ID, Workflow: i.Workflow, State: string(i.State), Why: i.Why, Began: i.Began, Ended: i.Ended}
}
