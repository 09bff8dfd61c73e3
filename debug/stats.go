package debug

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// Bounds of the figures. The figures of "other plans" and "other steps" may go beyond them.
const (
	maxPlans     = 500
	maxPlanIDs   = 4 * maxPlans // how many are remembered; plans with the same name and Site may have several
	maxPlanSteps = 1000         // of one plan
	maxAllSteps  = 4000         // of all plans
)

// A tally counts the runs of a plan, or the executions of a step: those that go on, and those that have ended.
type tally struct {
	mu     sync.Mutex
	live   int
	good   uint64
	failed uint64 // how many ended with an error or a cancel
	times  recent
	ends   rate
}

func (t *tally) begin() {
	t.mu.Lock()
	t.live++
	t.mu.Unlock()
}

func (t *tally) end(at, took time.Duration, failed bool) {
	t.mu.Lock()
	t.live--
	if failed {
		t.failed++
	} else {
		t.good++
	}
	t.times.add(at, took)
	t.ends.add(at)
	t.mu.Unlock()
}

// forget undoes a begin whose end isn't to be counted.
func (t *tally) forget() {
	t.mu.Lock()
	t.live--
	t.mu.Unlock()
}

type tallyView struct {
	Live   int       `json:"live"`
	Good   uint64    `json:"good"`
	Failed uint64    `json:"failed"`
	Rate   float64   `json:"rate"` // ends per second, in the last minute
	Times  quantiles `json:"times"`
}

func (t *tally) view(now time.Duration) tallyView {
	t.mu.Lock()
	defer t.mu.Unlock()
	return tallyView{t.live, t.good, t.failed, t.ends.perSecond(now), t.times.quantiles(now)}
}

type planStats struct {
	tally

	name  string
	site  fault.Site
	plans *plans
	past  past

	steps atomic.Pointer[map[stepKey]*stepStats] // replaced as a whole, so it is read without a lock
	grow  sync.Mutex
}

// stepKey identifies a step of a plan. path is the path in the plan, so a step that a flow.ParEach runs for many elements is one
// step.
type stepKey struct{ path, label string }

type stepStats struct {
	tally
	stepKey

	kind  string
	index int // among the steps of its plan, from 0
}

// elsewhere is the path of the steps for which there is no room.
const elsewhere = "…"

// step returns the figures of a step, or those of the other steps if there is no room.
func (p *planStats) step(path, label, kind string) *stepStats {
	key := stepKey{inPlan(path), label}
	if s := (*p.steps.Load())[key]; s != nil {
		return s
	}
	p.grow.Lock()
	defer p.grow.Unlock()
	old := *p.steps.Load()
	if s := old[key]; s != nil {
		return s
	}
	if len(old) >= maxPlanSteps || p.plans.steps.Load() >= maxAllSteps {
		key, kind = stepKey{elsewhere, "other steps"}, ""
		if s := old[key]; s != nil {
			return s
		}
	}
	p.plans.steps.Add(1)
	s := &stepStats{stepKey: key, kind: kind, index: len(old)}
	grown := maps.Clone(old)
	if grown == nil {
		grown = make(map[stepKey]*stepStats)
	}
	grown[key] = s
	p.steps.Store(&grown)
	return s
}

type plans struct {
	steps atomic.Int64 // how many steps of all plans have figures

	mu   sync.Mutex
	byID map[observe.PlanID]*planStats
	all  []*planStats
}

// of returns the figures for the plan of a run, or those of the other plans if there is no room.
func (p *plans) of(run observe.Run) *planStats {
	id := run.PlanID()
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.byID[id]; known != nil {
		return known
	}
	name, site := clip(run.Name(), maxBrief), run.Site()
	full := len(p.all) >= maxPlans
	var found *planStats
	for _, known := range p.all {
		if known.name == name && known.site == site {
			found = known
			break
		}
		if full && known.name == otherPlans {
			found = known
		}
	}
	if found == nil {
		if full {
			name, site = otherPlans, fault.Site{}
		}
		found = &planStats{name: name, site: site, plans: p}
		found.steps.Store(new(map[stepKey]*stepStats))
		p.all = append(p.all, found)
	}
	if p.byID == nil {
		p.byID = make(map[observe.PlanID]*planStats)
	}
	if len(p.byID) < maxPlanIDs {
		p.byID[id] = found
	}
	return found
}

const otherPlans = "other plans"

func (p *plans) list() []*planStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.all)
}
