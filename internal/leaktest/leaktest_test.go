package leaktest

import (
	"strings"
	"testing"
)

// fake records how Check ends a test.
type fake struct {
	testing.TB
	cleanup func()
	failure string
}

func (f *fake) Helper()              {}
func (f *fake) Cleanup(fn func())    { f.cleanup = fn }
func (f *fake) Error(args ...any)    { f.failure, _ = args[0].(string) }
func park(c chan struct{})           { <-c }
func startParked(c chan struct{})    { go park(c) }
func checked(f *fake, during func()) { Check(f); during(); f.cleanup() }

func TestCheck(t *testing.T) {
	t.Run("a goroutine from before is not a leak", func(t *testing.T) {
		c := make(chan struct{})
		startParked(c)
		defer close(c)
		f := &fake{}
		if checked(f, func() {}); f.failure != "" {
			t.Errorf("reported: %s", f.failure)
		}
	})
	t.Run("one that ends a little later is not a leak", func(t *testing.T) {
		f := &fake{}
		checked(f, func() {
			c := make(chan struct{})
			startParked(c)
			close(c)
		})
		if f.failure != "" {
			t.Errorf("reported: %s", f.failure)
		}
	})
	t.Run("one that stays is reported with its stack", func(t *testing.T) {
		c := make(chan struct{})
		defer close(c)
		f := &fake{}
		checked(f, func() { startParked(c) })
		for _, want := range []string{"1 goroutines left behind", "leaktest.park(", "leaktest.startParked"} {
			if !strings.Contains(f.failure, want) {
				t.Errorf("report lacks %q:\n%s", want, f.failure)
			}
		}
	})
}
