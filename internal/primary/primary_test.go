package primary_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/primary"
)

type mine struct{ error }

type itself struct{}

func (itself) Error() string   { return "" }
func (e itself) Unwrap() error { return e }

type twiceItself struct{}

func (twiceItself) Error() string     { return "" }
func (e twiceItself) Unwrap() []error { return []error{e, e} }

type panicking struct{}

func (panicking) Error() string { panic("Error") }
func (panicking) Unwrap() error { panic("Unwrap") }

type severalPanicking struct{}

func (severalPanicking) Error() string   { panic("Error") }
func (severalPanicking) Unwrap() []error { panic("Unwrap") }

func TestAs(t *testing.T) {
	first, second := mine{errors.New("first")}, mine{errors.New("second")}
	beside := fault.Wrap(fault.CommError, "", errors.New("other"))
	beside.Secondary = []error{first}
	for reason, tt := range map[string]struct {
		err  error
		want error // nil: none
	}{
		"nil":                        {nil, nil},
		"the error":                  {first, first},
		"wrapped":                    {fmt.Errorf("x: %w", first), first},
		"the cause":                  {fault.Wrap(fault.CommError, "", first), first},
		"joined, in order":           {errors.Join(errors.New("x"), second, first), second},
		"secondary":                  {beside, nil},
		"secondary of one wrapped":   {errors.Join(beside, second), second},
		"none":                       {errors.New("x"), nil},
		"an error that wraps itself": {itself{}, nil},
		"one that does so twice":     {twiceItself{}, nil},
		"Unwrap panics":              {errors.Join(panicking{}, severalPanicking{}, first), first},
		"a typed nil":                {errors.Join((*fault.Error)(nil), (*fs.PathError)(nil), first), first},
	} {
		got, ok := primary.As[mine](tt.err)
		if ok != (tt.want != nil) || ok && got != tt.want {
			t.Errorf("%s: %v %t, want %v", reason, got, ok, tt.want)
		}
		if tt.want != nil && !primary.Is(tt.err, tt.want) {
			t.Errorf("%s: it isn't %v", reason, tt.want)
		}
		if missing := (mine{errors.New("missing")}); primary.Is(tt.err, missing) || tt.want == nil && primary.Is(tt.err, first) {
			t.Errorf("%s: it is %v or %v", reason, missing, first)
		}
	}
}
