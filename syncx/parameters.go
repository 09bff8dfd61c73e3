package syncx

import (
	"reflect"
	"strings"

	"github.com/futoin-go/asyncsteps/internal/plan"
)

// parameters returns what a description of a plan tells of a guard: its type, and of guards of this package their bounds, and their names.
func parameters(g Guard) []plan.Parameter {
	if g == nil {
		return nil
	}
	all := []plan.Parameter{plan.Set("guard", strings.TrimPrefix(reflect.TypeOf(g).String(), "*"))}
	if own, ok := g.(interface{ parameters() []plan.Parameter }); ok && !reflect.ValueOf(g).IsZero() {
		all = append(all, own.parameters()...)
	}
	return all
}

func (m *Mutex) parameters() []plan.Parameter {
	return []plan.Parameter{plan.Set("places", m.max), plan.AtMost("queue", m.maxQueue)}
}

func (h *Throttle) parameters() []plan.Parameter {
	return []plan.Parameter{plan.Set("rate", h.max), plan.Set("period", h.period), plan.AtMost("queue", h.maxQueue)}
}

func (b *TokenBucket) parameters() []plan.Parameter {
	all := []plan.Parameter{plan.Set("every", b.every), plan.AtMost("queue", b.maxQueue)}
	if b.every > 0 {
		all = append(all, plan.Set("burst", int(b.room/b.every)))
	}
	return all
}

func (l *Limiter) parameters() []plan.Parameter {
	return []plan.Parameter{
		plan.Set("places", l.mutex.max), plan.AtMost("queue", l.mutex.maxQueue),
		plan.Set("rate", l.throttle.max), plan.Set("period", l.throttle.period), plan.AtMost("burst", l.throttle.maxQueue),
	}
}

func (b *Breaker) parameters() []plan.Parameter {
	all := named(b.how.Name)
	if b.how.Failures > 0 {
		all = append(all, plan.Set("failures", b.how.Failures))
	}
	if b.how.Rate > 0 {
		all = append(all, plan.Set("share", b.how.Rate), plan.Set("of at least", b.how.MinSections))
	}
	if b.how.Last > 0 {
		all = append(all, plan.Set("last", b.how.Last))
	}
	if b.how.Window > 0 {
		all = append(all, plan.Set("window", b.how.Window))
	}
	if b.how.Slow > 0 {
		all = append(all, plan.Set("slow", b.how.Slow))
	}
	return append(all, plan.Set("pause", b.how.Pause), plan.Set("probes", b.how.Probes))
}

func (a *Adaptive) parameters() []plan.Parameter {
	return append(named(a.how.Name), plan.Set("least", a.how.Min), plan.Set("most", a.how.Max), plan.AtMost("queue", a.how.MaxQueue),
		plan.Set("window", a.how.Window), plan.Set("tolerance", a.how.Tolerance))
}

// named returns the parameter of a guard's name, if it has one.
func named(name string) []plan.Parameter {
	if name == "" {
		return nil
	}
	return []plan.Parameter{plan.Set("name", name)}
}
