package seedtest_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/internal/seedtest"
)

func TestMain(m *testing.M) {
	seedtest.Fix()
	os.Exit(m.Run())
}

// TestFix runs TestDraws in processes of its own.
func TestDraws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { t.Log("drew", rapid.Uint64().Draw(rt, "n")) })
}

func TestFix(t *testing.T) {
	standard := drawn(t, nil)
	for _, tt := range []struct {
		reason string
		env    []string
		args   []string
		same   bool
	}{
		{"nothing is given", nil, nil, true},
		{"another seed by a flag", nil, []string{"-rapid.seed=7"}, false},
		{"no seed by a flag", nil, []string{"-rapid.seed=0"}, false},
		{"another seed by a variable", []string{"RAPID_SEED=7"}, nil, false},
		{"no seed by a variable", []string{"RAPID_SEED=0"}, nil, false},
		{"a flag and a variable", []string{"RAPID_SEED=7"}, []string{"-rapid.seed=1"}, true},
	} {
		if same := slices.Equal(drawn(t, tt.env, tt.args...), standard); same != tt.same {
			t.Errorf("%s: draws the same %t, want %t", tt.reason, same, tt.same)
		}
	}
}

// drawn returns what TestDraws draws in a process of its own.
func drawn(t *testing.T, env []string, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append(args, "-test.run=^TestDraws$", "-test.v")...)
	inherited := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "RAPID_SEED=") })
	cmd.Env = slices.Concat(inherited, env)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var numbers []string
	for line := range strings.Lines(string(out)) {
		if _, n, ok := strings.Cut(line, "drew "); ok {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) < 100 {
		t.Fatalf("%d draws:\n%s", len(numbers), out)
	}
	return numbers
}
