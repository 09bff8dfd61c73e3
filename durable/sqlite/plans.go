package sqlite

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
)

// plans holds the plans of this program, and those that were read from the file, by their numbers. There are few, so they stay in
// memory.
type plans struct {
	f *File

	mu      sync.Mutex
	records map[int64]engine.Record
	names   map[string]map[string]bool // by the number of the plan, the names of its patches
}

// load finds the plans of this program in the file, and adds those that are new.
func (p *plans) load(ctx context.Context, f *File, s *session) error {
	p.f, p.records, p.names = f, make(map[int64]engine.Record), make(map[string]map[string]bool)
	for name, own := range f.flows {
		_, err := s.c.ExecContext(ctx, "INSERT INTO durable_plans (workflow, digest, calls, trees) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
			name, own.record.Digest, own.record.Calls, own.record.Plans)
		if err == nil {
			err = s.c.QueryRowContext(ctx, "SELECT plan FROM durable_plans WHERE workflow = ? AND digest = ? AND calls = ?",
				name, own.record.Digest, own.record.Calls).Scan(&own.plan)
		}
		if err != nil {
			return err
		}
		p.records[own.plan] = own.record
		p.names[strconv.FormatInt(own.plan, 10)] = own.d.Plans.Patches()
	}
	return nil
}

func (p *plans) record(n int64) (engine.Record, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r, known := p.records[n]; known {
		return r, nil
	}
	var r engine.Record
	if err := p.f.row("SELECT digest, calls, trees FROM durable_plans WHERE plan = ?", n).Scan(&r.Digest, &r.Calls, &r.Plans); err != nil {
		return r, fmt.Errorf("the plan %d of the file: %w", n, err)
	}
	p.records[n] = r
	return r, nil
}

// changed returns how the plan of own differs from the plan with number n, with which a run was executed last. It returns "" if the
// run can go on with the plan of own.
func (p *plans) changed(own *deployed, n int64) (string, error) {
	if n == own.plan {
		return "", nil
	}
	first, err := p.record(n)
	if err != nil {
		return "", err
	}
	return own.d.Changed(own.record, first), nil
}

func (p *plans) patches(n string) (map[string]bool, error) {
	p.mu.Lock()
	names, known := p.names[n]
	p.mu.Unlock()
	if known {
		return names, nil
	}
	number, err := strconv.ParseInt(n, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the number of the plan: %w", err)
	}
	r, err := p.record(number)
	if err != nil {
		return nil, err
	}
	of, err := r.Unpack()
	if err != nil {
		return nil, err
	}
	names = of.Patches()
	p.mu.Lock()
	p.names[n] = names
	p.mu.Unlock()
	return names, nil
}
