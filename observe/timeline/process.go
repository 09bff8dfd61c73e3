package timeline

import (
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

type process struct {
	*traceWriter
	recording *observe.Recording
	start     time.Duration // when the run was started
	now       time.Duration // the time of the current event
	threads   map[string]*thread
	order     []*thread
}

// thread is one fiber of the run. open has its slices that haven't ended, the innermost last.
type thread struct {
	tid  int
	open []slice
}

// slice stands for the time of the step at path, or of a wait of that step. If path is "", it stands for the time of the run.
type slice struct {
	path string
	wait bool
}

// begin opens the run as a slice around its steps.
func (p *process) begin() {
	run := p.recording.Run
	p.now = p.start
	p.name("process_name", 0, called(run))
	p.order = nil
	main := p.thread("")
	p.slice(main, slice{}, printable(run.Name()), nil)
	if parent := p.runs[run.Parent]; parent != nil && 0 < p.recording.After && p.recording.After <= len(parent.Entries) {
		p.put(traceEvent{Name: "starts", Cat: "run", Phase: phaseFlowEnd, Bind: "e", ID: run.ID, Time: p.micros(), PID: run.ID, TID: main.tid})
	}
}

// starts draws the arrow to a run that the step of e has started.
func (p *process) starts(child *observe.Recording, e observe.Entry) {
	p.put(traceEvent{
		Name: "starts", Cat: "run", Phase: phaseFlowStart, ID: child.Run.ID,
		Time: p.micros(), PID: p.recording.Run.ID, TID: p.thread(fiber(e.Path)).tid,
	})
}

func (p *process) thread(fiber string) *thread {
	th := p.threads[fiber]
	if th == nil {
		th = &thread{tid: len(p.order) + 1}
		p.threads[fiber] = th
		p.order = append(p.order, th)
		name := "steps"
		if fiber != "" {
			name = "branch " + printable(fiber)
		}
		p.name("thread_name", th.tid, name)
	}
	return th
}

func (p *process) name(what string, tid int, name string) {
	p.put(traceEvent{Name: what, Phase: phaseName, PID: p.recording.Run.ID, TID: tid, Args: map[string]string{"name": name}})
}

func (p *process) entry(e observe.Entry) {
	p.now = p.start + e.At
	th := p.thread(fiber(e.Path))
	switch e.Kind {
	case observe.StepStart:
		p.slice(th, slice{path: e.Path}, printable(e.Label()), map[string]string{"path": e.Path, "kind": e.StepKind})
	case observe.Suspended:
		p.slice(th, slice{e.Path, true}, "waiting", nil)
	case observe.Queued:
		p.slice(th, slice{e.Path, true}, "queued", nil)
	case observe.Resumed:
		p.close(th, slice{e.Path, true}, nil)
	case observe.StepEnd:
		p.close(th, slice{path: e.Path}, e.Err)
	case observe.RunEnd:
		p.close(th, slice{}, e.Err)
	default:
		p.instant(th, e)
	}
}

// slice begins s on th.
func (p *process) slice(th *thread, s slice, name string, args map[string]string) {
	cat := "step"
	switch {
	case s.wait:
		cat = "wait"
	case s.path == "":
		cat = "run"
	}
	th.open = append(th.open, s)
	p.put(traceEvent{Name: name, Cat: cat, Phase: phaseBegin, Time: p.micros(), PID: p.recording.Run.ID, TID: th.tid, Args: args})
}

// close ends s. Before that it ends the slices that are open inside s, such as a wait that was cut short. It does nothing if s
// isn't open, because the event that begins s wasn't recorded.
func (p *process) close(th *thread, s slice, err error) {
	if !slices.Contains(th.open, s) {
		return
	}
	for th.open[len(th.open)-1] != s {
		p.pop(th, nil)
	}
	p.pop(th, err)
}

func (p *process) pop(th *thread, err error) {
	th.open = th.open[:len(th.open)-1]
	p.put(traceEvent{Phase: phaseEnd, Time: p.micros(), PID: p.recording.Run.ID, TID: th.tid, Args: said(err)})
}

func (p *process) end() {
	for _, th := range p.order {
		for len(th.open) > 0 {
			p.pop(th, nil)
		}
	}
}

func (p *process) instant(th *thread, e observe.Entry) {
	name := e.Kind.String()
	if e.Kind == observe.Handled {
		name += ", " + e.Outcome.String()
	}
	if e.Note != "" {
		name += ", " + e.Note
	}
	p.put(traceEvent{
		Name: name, Cat: "event", Phase: phaseInstant, Scope: "t",
		Time: p.micros(), PID: p.recording.Run.ID, TID: th.tid, Args: said(e.Err),
	})
}

// said returns the code and info of err as the arguments of an event.
func said(err error) map[string]string {
	if err == nil {
		return nil
	}
	args := map[string]string{"code": printable(string(fault.CodeOf(err)))}
	if info := fault.InfoOf(err); info != "" {
		args["info"] = printable(info)
	}
	return args
}

func (p *process) micros() float64 { return float64(p.now) / float64(time.Microsecond) }
