package fault_test

import (
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

func TestLogValueHasSingleLines(t *testing.T) {
	err := fault.Wrap("A\nB", "info\nforged", &fault.Panic{Value: "p\nq", Stack: []byte("goroutine 1:\nmain")})
	err.Path, err.Name, err.Site = "0\n1", "name\nforged", fault.Site{File: "a\nb.go", Line: 1}
	err.Secondary = []error{fault.New("C", "also\nforged")}
	attrs := err.LogValue().Group()
	if len(attrs) != 8 {
		t.Fatalf("want all eight attributes, got %v", attrs)
	}
	for _, a := range attrs {
		texts, several := a.Value.Any().([]string)
		if !several {
			texts = []string{a.Value.String()}
		}
		for _, text := range texts {
			if strings.Contains(text, "\n") != (a.Key == "stack") {
				t.Errorf("%s is %q", a.Key, text)
			}
		}
	}
}
