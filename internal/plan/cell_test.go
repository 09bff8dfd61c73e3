package plan

import (
	"reflect"
	"testing"
)

func TestRefers(t *testing.T) {
	tests := []struct {
		of   reflect.Type
		want bool
	}{
		{reflect.TypeFor[int](), false},
		{reflect.TypeFor[complex128](), false},
		{reflect.TypeFor[string](), true},
		{reflect.TypeFor[error](), true},
		{reflect.TypeFor[func()](), true},
		{reflect.TypeFor[chan int](), true},
		{reflect.TypeFor[[]int](), true},
		{reflect.TypeFor[[2]int](), false},
		{reflect.TypeFor[[2]*int](), true},
		{reflect.TypeFor[[0]*int](), false},
		{reflect.TypeFor[struct{}](), false},
		{reflect.TypeFor[struct{ a, b int }](), false},
		{reflect.TypeFor[struct {
			a int
			b [1]struct{ p *int }
		}](), true},
	}
	for _, test := range tests {
		if got := Refers(test.of); got != test.want {
			t.Errorf("%v: got %t", test.of, got)
		}
	}
}
