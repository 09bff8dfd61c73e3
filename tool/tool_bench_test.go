package tool_test

import (
	"context"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

func BenchmarkManualImmediate(b *testing.B) {
	m := tool.NewManual(tool.Options{})
	b.ReportAllocs()
	for b.Loop() {
		_, _ = m.Immediate(nop)
		m.Iterate()
	}
}

// An operation is one callback among many in a turn.
func BenchmarkManualImmediateBurst(b *testing.B) {
	m := tool.NewManual(tool.Options{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_, _ = m.Immediate(nop)
		if i%100 == 99 {
			m.Iterate()
		}
	}
}

func BenchmarkManualDeferredCancel(b *testing.B) {
	m := tool.NewManual(tool.Options{})
	b.ReportAllocs()
	for b.Loop() {
		h, _ := m.Deferred(time.Hour, nop)
		m.Cancel(h)
	}
}

func BenchmarkLoopRoundTrip(b *testing.B) {
	l := tool.Start(tool.Options{})
	back := make(chan struct{})
	fn := func() { back <- struct{}{} }
	b.ReportAllocs()
	for b.Loop() {
		_, _ = l.Immediate(fn)
		<-back
	}
	if err := l.Shutdown(context.Background()); err != nil {
		b.Error(err)
	}
}

func BenchmarkLoopChain(b *testing.B) {
	l := tool.Start(tool.Options{})
	done := make(chan struct{})
	n := b.N
	var next func()
	next = func() {
		if n--; n <= 0 {
			close(done)
			return
		}
		_, _ = l.Immediate(next)
	}
	b.ReportAllocs()
	b.ResetTimer()
	_, _ = l.Immediate(next)
	<-done
	b.StopTimer()
	if err := l.Shutdown(context.Background()); err != nil {
		b.Error(err)
	}
}

func BenchmarkInLoop(b *testing.B) {
	l := tool.Start(tool.Options{})
	for b.Loop() {
		l.InLoop()
	}
	if err := l.Shutdown(context.Background()); err != nil {
		b.Error(err)
	}
}

func BenchmarkAttachDetach(b *testing.B) {
	h := tool.NewHost(tool.TurnLimits{})
	registration := &tool.Registration{Stop: func(error) {}}
	b.ReportAllocs()
	for b.Loop() {
		_ = h.Attach(registration)
		h.Detach(registration)
	}
}
