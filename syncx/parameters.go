package syncx

import (
	"reflect"
	"strings"

	"github.com/futoin-go/asyncsteps/internal/plan"
)

func parameters(g Guard) []plan.Parameter {
	if g == nil {
		return nil
	}
	if w, ok := g.(*limitedWait); ok {
		return w.parameters()
	}
	all := []plan.Parameter{plan.Set("guard", strings.TrimPrefix(reflect.TypeOf(g).String(), "*"))}
	if own, ok := g.(interface{ parameters() []plan.Parameter }); ok && !reflect.ValueOf(g).IsZero() {
		all = append(all, own.parameters()...)
	}
	return all
}

func (m *Mutex) parameters() []plan.Parameter {
	m.lock.Lock()
	defer m.lock.Unlock()
	return []plan.Parameter{plan.Set("places", m.max), plan.AtMost("queue", m.maxQueue)}
}

func (throttle *Throttle) parameters() []plan.Parameter {
	throttle.mu.Lock()
	defer throttle.mu.Unlock()
	return []plan.Parameter{plan.Set("rate", throttle.max), plan.Set("period", throttle.period), plan.AtMost("queue", throttle.maxQueue)}
}

func (b *TokenBucket) parameters() []plan.Parameter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Err() != nil {
		return []plan.Parameter{plan.AtMost("queue", b.maxQueue)}
	}
	every := b.filling.spanOf(1)
	if every.part > 0 {
		every.whole++
	}
	return []plan.Parameter{plan.Set("every", every.whole), plan.AtMost("queue", b.maxQueue), plan.Set("burst", b.filling.burst)}
}

func (l *Limiter) parameters() []plan.Parameter {
	all := append(l.mutex.parameters(), l.throttle.parameters()...)
	all[len(all)-1].Name = "burst" // the queue for the rate
	return all
}

func (b *Breaker) parameters() []plan.Parameter {
	how := b.Policy()
	all := named(how.Name)
	if how.Failures > 0 {
		all = append(all, plan.Set("failures", how.Failures))
	}
	if how.Rate > 0 {
		all = append(all, plan.Set("share", how.Rate), plan.Set("of at least", how.MinSections))
	}
	if how.Last > 0 {
		all = append(all, plan.Set("last", how.Last))
	}
	if how.Window > 0 {
		all = append(all, plan.Set("window", how.Window))
	}
	if how.Slow > 0 {
		all = append(all, plan.Set("slow", how.Slow))
	}
	return append(all, plan.Set("pause", how.Pause), plan.Set("probes", how.Probes))
}

func (a *Adaptive) parameters() []plan.Parameter {
	how := a.Policy()
	return append(named(how.Name), plan.Set("least", how.Min), plan.Set("most", how.Max), plan.AtMost("queue", how.MaxQueue),
		plan.Set("window", how.Window), plan.Set("tolerance", how.Tolerance))
}

func named(name string) []plan.Parameter {
	if name == "" {
		return nil
	}
	return []plan.Parameter{plan.Set("name", name)}
}
