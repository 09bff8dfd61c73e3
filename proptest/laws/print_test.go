package laws_test

import (
	"fmt"
	"strings"
	"time"
)

// String returns the program as Go-like text.
func (p *program) String() string {
	var b strings.Builder
	for i, g := range p.guards {
		fmt.Fprintf(&b, "g%d := %v\n", i, g)
	}
	fmt.Fprintf(&b, "plan := ")
	p.plan.print(&b, "")
	fmt.Fprintf(&b, "\nflow.Start(ctx, loop, plan, %d)", p.input)
	if p.cancel >= 0 {
		fmt.Fprintf(&b, " // cancelled after %d callbacks", p.cancel)
	}
	return b.String()
}

// GoString returns what rapid prints of a program that was drawn.
func (p *program) GoString() string { return "\n" + p.String() }

func (n *node) print(b *strings.Builder, in string) {
	deeper := in + "    "
	list := func(head string) {
		b.WriteString(head + "(")
		for _, kid := range n.kids {
			b.WriteString("\n" + deeper)
			kid.print(b, deeper)
			b.WriteString(",")
		}
		if n.h != nil {
			b.WriteString("\n" + deeper + "handler ")
			n.h.print(b, deeper)
			b.WriteString(",")
		}
		if len(n.kids) > 0 {
			b.WriteString("\n" + in)
		}
		b.WriteString(")")
	}
	switch n.kind {
	case kMap:
		fmt.Fprintf(b, "step.Map(#%d)", n.id)
	case kFunc:
		b.WriteString("step.Func ")
		n.body.print(b, in)
	case kNew:
		b.WriteString("step.New ")
		n.body.print(b, in)
	case kAwait:
		b.WriteString("step.Await ")
		n.body.print(b, in)
	case kValue:
		fmt.Fprintf(b, "flow.Value(%d)", n.n)
	case kChain:
		list("flow.Chain")
	case kCatch:
		list("flow.Catch")
	case kLimit:
		list(fmt.Sprintf("flow.Timeout %v ", n.limit))
	case kHook:
		list(fmt.Sprintf("flow.OnCancel #%d", n.id))
	case kNamed:
		list("flow.Named")
	case kCall:
		list("flow.Call")
	case kCopy:
		list("flow.CopyFrom")
	case kPar:
		list("sum of flow.Par")
	case kEach:
		list(fmt.Sprintf("sum of flow.ParEach %d elements, bound %d ", n.n, n.bound))
	case kRepeat:
		list(labelled(n) + fmt.Sprintf("loopx.Repeat %d ", n.n))
	case kLoop:
		list(labelled(n) + fmt.Sprintf("loopx.Loop #%d, at most %d turns ", n.id, n.n))
	case kList:
		list(labelled(n) + fmt.Sprintf("loopx.%s of %d ", []string{"Each", "EachMap", "EachSeq", "EachSeq2"}[n.flav], n.n))
	case kRetry:
		list(fmt.Sprintf("retry.Of %d tries ", n.n))
	case kTry:
		list(fmt.Sprintf("flow.Try #%d ", n.id))
	case kCarry:
		list([]string{"flow.Carry", "flow.Tap"}[n.flav])
	case kRace:
		list([]string{"flow.First", "flow.Race", fmt.Sprintf("flow.Some %d of ", n.n), fmt.Sprintf("flow.Hedge %v ", n.limit)}[n.flav])
	case kShield:
		list("flow.Shield")
	case kLinger:
		list("flow.Linger")
	case kGrace:
		list(fmt.Sprintf("flow.Grace %v ", n.limit))
	case kBracket:
		list(fmt.Sprintf("flow.Bracket #%d ", n.id))
	case kSaga:
		list("flow.Saga")
	case kUndo:
		list("flow.Undo")
	case kGraph:
		list(fmt.Sprintf("flow.Graph %v ", n.edges))
	case kTasks:
		list(fmt.Sprintf("%s.%s %d elements, bound %d ", tasksName(n.label), []string{"All", "Completed", "First"}[n.flav], n.n, n.bound))
	case kSync:
		list(fmt.Sprintf("syncx.Sync #%d g%d ", n.id, n.guard))
	}
}

func labelled(n *node) string {
	if n.label == 0 {
		return ""
	}
	return fmt.Sprintf("L%d: ", n.label)
}

func (b *body) print(w *strings.Builder, in string) {
	fmt.Fprintf(w, "#%d { ", b.id)
	if b.resources.limit > 0 {
		fmt.Fprintf(w, "SetTimeout(%v); ", b.resources.limit)
	}
	if b.resources.hook {
		w.WriteString("SetCancel(hook" + map[bool]string{true: " that panics"}[b.resources.hookBad] + "); ")
	}
	for i := range b.resources.cleanups {
		w.WriteString("StackCleanup(" + map[bool]string{true: "panics"}[b.resources.badClean == i+1] + "); ")
	}
	switch b.way {
	case enters:
		w.WriteString("return step.Into(\n" + in + "    ")
		b.kid.print(w, in+"    ")
		w.WriteString("\n" + in + ")")
	case addsTask:
		fmt.Fprintf(w, "%d times %s.Go", b.n, tasksName(b.label))
	case breaks, continues:
		fmt.Fprintf(w, "%d times %s to L%d", b.n, b.way, b.label)
	case waits:
		fmt.Fprintf(w, "%s %s", b.way, moment(b.wait))
	case waitsFail:
		fmt.Fprintf(w, "%s %s %s", b.way, moment(b.wait), b.code)
	case fails:
		fmt.Fprintf(w, "%s %s", b.way, b.code)
	default:
		w.WriteString(b.way.String())
	}
	w.WriteString(" }")
}

func moment(d time.Duration) string {
	if d == 0 {
		return "for outside"
	}
	return d.String()
}

func (w way) String() string {
	return [...]string{
		"succeed", "fail", "panic", "zero Next", "unwind", "rethrow", "into", "wait", "wait and fail",
		"break", "continue", "fail(nil)", "use a stale scope", "complete twice", "cancel the run", "add a task",
	}[w]
}
