package engine

import "testing"

func TestTypesOfMain(t *testing.T) {
	for in, want := range map[string]string{
		"main.Order": "X.Order", "[]*main.Order": "[]*X.Order", "map[main.K]main.V": "map[X.K]X.V",
		"example.org/domain.Order": "example.org/domain.Order", "example.org/main.Order": "example.org/main.Order",
	} {
		if got := ofMain.ReplaceAllString(in, "${1}X."); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}
