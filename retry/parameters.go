package retry

import (
	"cmp"

	"github.com/futoin-go/asyncsteps/internal/plan"
)

func (p *Policy) parameters() []plan.Parameter {
	all := []plan.Parameter{plan.AtMost("tries", cmp.Or(p.Tries, defaultTries))}
	for _, c := range []struct {
		name string
		set  bool
		v    any
	}{
		{"elapsed", p.Elapsed != 0, p.Elapsed},
		{"pause", p.Pause != 0, p.Pause},
		{"factor", p.Factor != 0, p.Factor},
		{"longest pause", p.MaxPause != 0, p.MaxPause},
		{"longest pause asked for", p.MaxRetryAfter != 0, p.MaxRetryAfter},
		{"jitter", p.Jitter != 0, p.Jitter},
		{"codes", len(p.Codes) > 0, p.Codes},
		{"if", p.If != nil, "set"},
		{"pause after", p.PauseAfter != nil, "set"},
		{"budget", p.Budget != nil, "set"},
	} {
		if c.set {
			all = append(all, plan.Set(c.name, c.v))
		}
	}
	return all
}
