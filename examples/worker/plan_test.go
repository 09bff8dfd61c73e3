package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func always(status int) func(context.Context, string, int) (int, error) {
	return func(context.Context, string, int) (int, error) { return status, nil }
}

// The server's answer decides whether a file is tried again, refused or given up.
func TestVerdicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := newSpool(t, "a", "b", "c", "d", "e", ".being-written")
		s := &server{answer: func(ctx context.Context, name string, call int) (int, error) {
			switch {
			case name == "b":
				return 422, nil
			case name == "c" && call < 4:
				return 500, nil
			case name == "d" && call == 5:
				return 0, errReset
			case name == "d":
				<-ctx.Done()
				return 0, ctx.Err()
			}
			return 201, nil
		}}
		runWorker(t, time.Minute, folder, s)
		wantFolders(t, folder, ".being-written | a c e | b b.why d d.why")
		s.wantCalls(t, "a at 0", "b at 0", "c at 0", "c at 0", "d at 0", "d at 1", "d at 11", "e at 21")
		for name, want := range map[string]string{"b": "Refused: 422 Unprocessable Entity", "d": "call took longer than 10s"} {
			if why, _ := os.ReadFile(filepath.Join(folder, "dead", name+".why")); !strings.Contains(string(why), want) {
				t.Errorf("%s: the reason is %q", name, why)
			}
		}
	})
}

// G3: the number of calls in a second is bounded.
func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := newSpool(t, "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")
		s := &server{answer: always(200)}
		runWorker(t, 10*time.Second, folder, s)
		wantFolders(t, folder, " | a b c d e f g h i j k | ")
		s.wantCalls(t, "a at 0", "b at 0", "c at 0", "d at 0", "e at 0", "f at 1", "g at 1", "h at 1", "i at 1", "j at 1", "k at 2")
	})
}

// L1: a handler inside of two loops and a retry continues the outer loop.
func TestNobodyThere(t *testing.T) {
	for _, tt := range []struct {
		reason string
		status int
		err    error
	}{
		{"no connection", 0, &net.OpError{Op: "dial", Err: errReset}},
		{"no room", 503, nil},
		{"too fast", 429, nil},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				folder := newSpool(t, "a", "b")
				s := &server{answer: func(_ context.Context, _ string, call int) (int, error) {
					if call < 3 {
						return tt.status, tt.err
					}
					return 200, nil
				}}
				runWorker(t, 59*time.Second, folder, s)
				wantFolders(t, folder, "a b |  | ")
				s.wantCalls(t, "a at 0", "a at 30")
				runWorker(t, time.Second, folder, s)
				wantFolders(t, folder, " | a b | ")
			})
		})
	}
}

func TestNewFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := newSpool(t)
		time.AfterFunc(5*time.Second, func() { put(t, folder, "late") })
		s := &server{answer: always(200)}
		runWorker(t, 9*time.Second, folder, s)
		s.wantCalls(t, "late at 6")
	})
}

// A file may be removed before its turn comes.
func TestGoneFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := newSpool(t, "a", "b", "c")
		s := &server{answer: func(_ context.Context, _ string, call int) (int, error) {
			if call == 1 {
				return 200, os.Remove(filepath.Join(folder, "b"))
			}
			return 200, nil
		}}
		said := runWorker(t, 9*time.Second, folder, s)
		s.wantCalls(t, "a at 0", "c at 2")
		if !strings.Contains(said, "\ngone b\n") {
			t.Errorf("said\n%s", said)
		}
	})
}
