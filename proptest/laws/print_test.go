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

// GoString is what rapid prints of a drawn program.
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
	switch head := n.construct().head(n); {
	case n.kind > kAwait:
		list(head)
	case n.body != nil:
		b.WriteString(head)
		n.body.print(b, in)
	default:
		b.WriteString(head)
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
