package fault_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
)

// late returns a Timeout with a record of two steps and of the run.
func late() *fault.Error {
	return &fault.Error{Code: fault.Timeout, Info: "too long", Path: "0", Record: []fault.Event{
		{What: "step start", Path: "0", Name: "limit"},
		{At: 1500 * time.Millisecond, What: "raised", Path: "0/0", Name: "slow", Err: errors.New("not\nyet")},
		{At: 2 * time.Second, What: "timed out", Err: &fault.Error{Code: fault.Timeout, Info: "deadline", Path: "0", Cause: io.EOF}},
	}}
}

func TestRecordIsPrintedInFull(t *testing.T) {
	want := strings.TrimPrefix(`
A
  caused by: Timeout: too long
    raised    0
    what happened before:
      0s        step start 0 "limit"
      1.5s      raised 0/0 "slow": not; yet
      2s        timed out: Timeout: deadline`, "\n")
	if diff := cmp.Diff(want, fmt.Sprintf("%+v", fault.Wrap("A", "", late()))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRecordIsNoPartOfTheError(t *testing.T) {
	err := late()
	err.Record[0].Err = io.EOF
	if got, want := err.Error(), "Timeout: too long (at 0)"; got != want {
		t.Errorf("Error is %q, want %q", got, want)
	}
	if errors.Is(err, io.EOF) {
		t.Error("errors.Is sees an error of the record")
	}
}

// A cause with the code and the info of its error is printed by itself if it has a record.
func TestRecordOfCauseIsKept(t *testing.T) {
	cause := late()
	cause.Path = ""
	got := fmt.Sprintf("%+v", fault.Wrap(fault.Timeout, "too long", cause))
	if !strings.Contains(got, "timed out") {
		t.Errorf("the record of the cause is lost:\n%s", got)
	}
}

func TestLongRecord(t *testing.T) {
	err := fault.New("A", "")
	for i := range 10_000 {
		err.Record = append(err.Record, fault.Event{What: fmt.Sprint(i)})
	}
	got := fmt.Sprintf("%+v", err)
	if n := strings.Count(got, "\n"); n > 70 {
		t.Errorf("%d lines are printed", n)
	}
	for _, want := range []string{"    … 9936 moments earlier\n    0s        9936\n", "0s        9999"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
