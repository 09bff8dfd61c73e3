package tooltest

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/parts"
	"github.com/futoin-go/asyncsteps/tool"
)

// parted is a Loop with the methods of parts.Loop.
type parted Loop

var _ = parts.Provide(func(t any) parts.Loop { return (*parted)(t.(*Loop)) })

// partition tells which part each callback belongs to, for a test that chooses among the callbacks.
type partition struct {
	now    int                 // the part that callbacks are queued in now
	of     map[tool.Handle]int // the part of each callback that waits, unless that is part 0
	shared int
	late   bool // due timers may be chosen that don't have the earliest deadline; see parts.Loop
}

func (l *parted) Late() {
	l.mu.Lock()
	l.parts.late = true
	l.mu.Unlock()
	l.host = (*Loop)(l).newHost(tool.TurnLimits{})
}

func (l *parted) Enter(part int) (before int) {
	if l.choose == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	before, l.parts.now = l.parts.now, part
	return before
}

func (l *parted) Now() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parts.now
}

func (l *parted) Next(parts []int) (of []int, moves bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now
	if deadline, armed := l.queue.Deadline(); armed && deadline > now && l.queue.Ready() == 0 {
		now, moves = deadline, true
	}
	for _, key := range l.queue.Choices(nil, now, l.parts.late) { // not into l.choices, which the caller may be choosing from
		parts = append(parts, l.parts.of[tool.Handle(key)])
	}
	return parts, moves
}

func (l *parted) Asked(i int) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.asking {
		return 0
	}
	return uint64(l.choices[i])
}

func (l *parted) Shared() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parts.shared
}

func (l *parted) Shift(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now += d
}

func (p *partition) queued(h tool.Handle) tool.Handle {
	if p.now != 0 {
		if p.of == nil {
			p.of = make(map[tool.Handle]int)
		}
		p.of[h] = p.now
	}
	return h
}

func (p *partition) taken(h tool.Handle) int {
	part := p.of[h]
	delete(p.of, h)
	return part
}
