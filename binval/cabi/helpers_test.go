//go:build cgo

package cabi_test

import (
	"context"
	"testing"
	"time"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/tool"
)

var (
	number = binval.One[int32]()
	none   = binval.Codec[struct{}]{}
)

func code(f, catch, data uintptr) cabi.Code {
	return cabi.Code{Execute: pointer(f), Catch: pointer(catch), Data: pointer(data)}
}

func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// foreign returns an engine of the mock. At the end of the test it checks that no run of the engine and no object of this package is
// left, and that the engine wasn't misused.
func foreign(t testing.TB) mock.Engine {
	live, held := cabi.Live(), cabi.Held()
	e := mock.New()
	t.Cleanup(func() {
		if n := e.Alive(); n != 0 {
			t.Errorf("%d foreign runs are not destroyed", n)
		}
		if n := e.Misused(); n != 0 {
			t.Errorf("%d calls that the foreign engine needn't bear", n)
		}
		if n := cabi.Held() - held; n != 0 {
			t.Errorf("%d things are still held for the foreign engine", n)
		}
		if n := cabi.Live() - live; n != 0 {
			t.Errorf("%d pointers of ours are still alive", n)
		}
		e.Free()
	})
	return e
}

// loop returns a started loop. It is shut down at the end of the test, when no pointer may be valid any more.
func loop(t testing.TB) *tool.Loop {
	live := cabi.Live()
	l := tool.Start(tool.Options{OnError: func(err error) {
		t.Errorf("reported: %v", err)
	}})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := l.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if n := cabi.Live() - live; n != 0 {
			t.Errorf("%d pointers of ours are still alive", n)
		}
	})
	return l
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
