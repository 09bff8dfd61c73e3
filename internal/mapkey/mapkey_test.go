package mapkey_test

import (
	"errors"
	"math"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/mapkey"
)

func TestCheck(t *testing.T) {
	type pair struct {
		number float64
		more   any
	}
	for _, k := range []any{nil, 1, "a", 0.5, pair{1, "b"}, &pair{}} {
		if err := mapkey.Check(k); err != nil || !mapkey.Comparable(k) {
			t.Errorf("%v: %v", k, err)
		}
	}
	for _, k := range []any{math.NaN(), pair{math.NaN(), 1}, pair{1, math.NaN()}} {
		if err := mapkey.Check(k); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("%v: %v", k, err)
		}
	}
	for _, k := range []any{[]int{1}, func() {}, pair{1, []int{1}}, map[int]int{}, [1]any{[]int{1}}} {
		if mapkey.Comparable(k) {
			t.Errorf("%T can be compared", k)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T: no panic", k)
				}
			}()
			_ = mapkey.Check(k)
		}()
	}
}
