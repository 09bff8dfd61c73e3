package share

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/clock"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// loadOwner is an owner of a load. It counts the calls of drop and value.
type loadOwner struct {
	dropped, told int
	before        func(at int) // called before an asker gets its value
}

func (*loadOwner) judge(error) func(error) bool         { return nil }
func (*loadOwner) read(*tool.Host) (none clock.Reading) { return none }
func (*loadOwner) finish(clock.Reading, int, error)     {}
func (*loadOwner) check(int) error                      { return nil }
func (o *loadOwner) drop()                              { o.dropped++ }
func (*loadOwner) leave(*asker[int])                    {}

func (o *loadOwner) value(v, at int) (int, error) {
	o.before(at)
	o.told++
	return v, nil
}

// M2: askers that leave while others get the value don't get it, and the load doesn't end
// again when the last one of them leaves.
func TestM2LeaveWhileOthersAreTold(t *testing.T) {
	var all [len(few[int]{}) + 2]asker[int]
	o := &loadOwner{}
	l := &load[int, int, int]{owner: o, mu: new(sync.Mutex)}
	for i := range all {
		all[i].at = i
		l.askers.push(&all[i])
	}
	o.before = func(at int) {
		if at == 0 { // the first ones are out of the line
			for i := range all {
				l.leave(&all[i])
			}
		}
	}
	x := l.prepare()
	x.of, x.on = l, tool.NewManual(tool.Options{})
	l.conclude(x, 1, nil, true, false)
	if o.told != len(few[int]{}) || o.dropped != 1 {
		t.Errorf("%d were told, and the load was dropped %d times", o.told, o.dropped)
	}
}

// laterContext has a deadline that isn't that of the context in it.
type laterContext struct{ context.Context }

func (laterContext) Deadline() (time.Time, bool) { return time.Now().Add(time.Hour), true }

// M1: the context of a load has the values of that of an asker, but neither its end nor its deadline.
func TestM1ContextOfALoad(t *testing.T) {
	type key struct{}
	valued := context.WithValue(context.Background(), key{}, 1)
	ended, cancel := context.WithCancelCause(valued)
	cancel(errors.New("it has ended"))
	late, stop := context.WithTimeout(valued, -1)
	defer stop()
	for name, of := range map[string]context.Context{
		"no end": valued, "only a deadline": laterContext{valued}, "cancelled": ended, "late": late,
	} {
		nest := new(nest)
		ctx := &loadContext{usercode.Calm{Context: of}, nest}
		if _, limited := ctx.Deadline(); limited || ctx.Done() != nil || ctx.Err() != nil || context.Cause(ctx) != nil {
			t.Errorf("%s: it ends: %v, %v", name, ctx.Err(), context.Cause(ctx))
		}
		if ctx.Value(key{}) != 1 || ctx.Value(nestKey{}) != nest {
			t.Errorf("%s: values %v, %v", name, ctx.Value(key{}), ctx.Value(nestKey{}))
		}
	}
}

func TestClearOfAnAsker(t *testing.T) {
	a := asker[int]{of: new(loadOwner), origin: origin{context.Background(), tool.NewManual(tool.Options{}), new(nest)}}
	a.Clear()
	if a.of != nil || a.origin != (origin{}) {
		t.Errorf("it keeps %+v", a.origin)
	}
}

type clockedLoop struct {
	*tooltest.Loop
	host *tool.Host
}

func (l *clockedLoop) Host() *tool.Host { return l.host }

// The clock of a loop may be user code: it isn't read while the Memo is locked.
func TestClockOfAnUnlockedMemo(t *testing.T) {
	m := NewMemo(MemoPolicy{Lifetime: time.Hour}, step.Map(func(k string) string { return k }))
	reads := 0
	l := &clockedLoop{Loop: tooltest.New()}
	l.host = tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration {
		if reads++; !m.mu.TryLock() {
			t.Error("the Memo is locked")
			return 0
		}
		m.mu.Unlock()
		return 0
	}))
	for range 2 { // the second time the value is kept
		reads = 0
		ask := flow.Start(context.Background(), l, m.Get(), "k")
		l.Run()
		if v, err := ask.Result(); v != "k" || err != nil || reads == 0 {
			t.Errorf("got %q, %v, and the clock was read %d times", v, err, reads)
		}
	}
}
