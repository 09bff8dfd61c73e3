package wasm

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// guests checks the steps that each SDK shows: a hello, one that waits, one that adds, one that fails, one that handles.
func guests(t *testing.T, binary []byte, limits Limits) {
	m := loaded(t, binary, limits)
	if out, reported, err := outcome(t, Step[string, string](m, "hello"), "wasm"); out != "Hello, wasm" || err != nil || len(reported) > 0 {
		t.Error(out, err, reported)
	}
	if out, reported, err := outcome(t, Step[struct{}, int32](m, "waits"), struct{}{}); out != 7 || err != nil || len(reported) > 0 {
		t.Error(out, err, reported)
	}
	if out, reported, err := outcome(t, Step[int32, int32](m, "adds"), 2); out != 42 || err != nil || len(reported) > 0 {
		t.Error(out, err, reported)
	}
	_, reported, err := outcome(t, none(m, "fails"), struct{}{})
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != "OutOfStock" || f.Info != "three are left" || len(reported) > 0 {
		t.Error(err, reported)
	}
	if out, reported, err := outcome(t, Step[struct{}, string](m, "handles"), struct{}{}); out != "OutOfStock" || err != nil || len(reported) > 0 {
		t.Error(out, err, reported)
	}
}

func TestGuestC(t *testing.T) {
	guests(t, guestC(t, "testdata/steps.c"), Limits{WASI: Basic()})
}
