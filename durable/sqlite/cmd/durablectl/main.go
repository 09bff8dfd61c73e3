// Command durablectl looks after the runs of a file of durable/sqlite, whether or not a program has it open.
//
//	durablectl FILE list [-workflow NAME] [-state STATE] [-attribute STEP] [-contains TEXT] [-older DURATION] [-last N]
//	durablectl FILE counts
//	durablectl FILE show ID
//	durablectl FILE cancel ID
//	durablectl FILE signal ID NAME JSON
//	durablectl FILE retry ID
//	durablectl FILE history ID
//	durablectl FILE schedules
//	durablectl FILE pause|resume|remove SCHEDULE
//
// list prints a line for each run, those that began last first: 100 at most, or as many as -last says, where 0 stands for all.
// STATE is lives, "stands still", succeeded, failed or cancelled. If a run stands still or has failed, the line has the beginning of
// the reason. counts prints how many runs are in each state, as JSON. show prints a run as JSON. retry tries again to continue a run
// that stands still, and fails if the run has ended. history prints JSON, which sqlite.Replay takes in a test. schedules prints JSON,
// with the time of the next run of each schedule; a paused one starts none until it is resumed.
//
// The program that has the file carries out a request within a second or two. If it doesn't answer for a minute, the command gives
// up.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/futoin-go/asyncsteps/durable/sqlite"
)

func main() {
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, errors.New("a minute has passed"))
	err := command(ctx, os.Stdout, os.Args[1:])
	cancel()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "durablectl:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New(`usage:
  durablectl FILE list [-workflow NAME] [-state STATE] [-attribute STEP] [-contains TEXT] [-older DURATION] [-last N]
  durablectl FILE counts
  durablectl FILE show|cancel|retry|history ID
  durablectl FILE signal ID NAME JSON
  durablectl FILE schedules
  durablectl FILE pause|resume|remove SCHEDULE`)

func command(ctx context.Context, out io.Writer, args []string) (err error) {
	if len(args) < 2 {
		return errUsage
	}
	o, err := sqlite.Operate(ctx, args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	verb, args := args[1], args[2:]
	if verb == "list" {
		return list(ctx, out, o, args)
	}
	if verb == "counts" && len(args) == 0 {
		all, err := o.Counts(ctx)
		return printed(out, all, err)
	}
	if verb == "schedules" && len(args) == 0 {
		all, err := o.Schedules(ctx)
		return printed(out, all, err)
	}
	if verb == "signal" && len(args) == 3 {
		return o.Signal(ctx, args[0], args[1], json.RawMessage(args[2]))
	}
	if len(args) != 1 {
		return errUsage
	}
	switch id := args[0]; verb {
	case "show":
		info, err := o.Run(ctx, id)
		return printed(out, info, err)
	case "history":
		h, err := o.History(ctx, id)
		return printed(out, h, err)
	case "cancel":
		return o.Cancel(ctx, id)
	case "retry":
		return o.Retry(ctx, id)
	case "pause":
		return o.Pause(ctx, id)
	case "resume":
		return o.Resume(ctx, id)
	case "remove":
		return o.Remove(ctx, id)
	default:
		return errUsage
	}
}

func printed(out io.Writer, v any, err error) error {
	if err != nil {
		return err
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func list(ctx context.Context, out io.Writer, o *sqlite.Operator, args []string) error {
	var q sqlite.Query
	flags := flag.NewFlagSet("list", flag.ContinueOnError)
	flags.StringVar(&q.Workflow, "workflow", "", "runs of this workflow only")
	flags.StringVar((*string)(&q.State), "state", "", "runs in this state only")
	flags.StringVar(&q.Attribute, "attribute", "", "runs that wait for this step only, if their workflow has a search attribute")
	flags.StringVar(&q.Contains, "contains", "", "runs whose id contains this text only")
	flags.DurationVar(&q.Older, "older", 0, "runs that began so long ago only")
	flags.IntVar(&q.Last, "last", 100, "so many runs at most; 0 stands for all")
	if err := flags.Parse(args); err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tWORKFLOW\tSTATE\tBEGAN\tWHY")
	for info, err := range o.Runs(ctx, q) {
		if err != nil {
			return errors.Join(err, table.Flush())
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.60q\n", info.ID, info.Workflow, info.State, info.Began.Format(time.DateTime), info.Why)
	}
	return table.Flush()
}
