package plugin_test

import (
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/futoin-go/asyncsteps/cmd/stepvet/checks"
	"github.com/futoin-go/asyncsteps/cmd/stepvet/plugin"
)

// golangci-lint finds the plugin by its name and asks it for analyzers.
func TestPluginIsRegistered(t *testing.T) {
	newPlugin, err := register.GetPlugin(plugin.Name)
	if err != nil {
		t.Fatal(err)
	}
	linter, err := newPlugin(nil)
	if err != nil {
		t.Fatal(err)
	}
	if mode := linter.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("the load mode is %q: without types nothing is found", mode)
	}
	if got, _ := linter.BuildAnalyzers(); len(got) != len(checks.All()) {
		t.Errorf("%d analyzers, want %d", len(got), len(checks.All()))
	}
}

func TestSettings(t *testing.T) {
	linter, err := plugin.New(map[string]any{"disable": []string{"leftloop", "keptscope"}})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := linter.BuildAnalyzers()
	for _, a := range got {
		if a.Name == "leftloop" || a.Name == "keptscope" {
			t.Errorf("%s is disabled and runs", a.Name)
		}
	}
	if want := len(checks.All()) - 2; len(got) != want {
		t.Errorf("%d analyzers, want %d", len(got), want)
	}

	if _, err := plugin.New(map[string]any{"locks": true}); err != nil {
		t.Error(err)
	} else if on := checks.Blocking.Flags.Lookup("locks").Value.String(); on != "true" {
		t.Errorf("locks is %s", on)
	}
	for _, wrong := range []map[string]any{{"disable": []string{"nosuch"}}, {"unknown": 1}} {
		if _, err := plugin.New(wrong); err == nil || !strings.Contains(err.Error(), "nosuch") && !strings.Contains(err.Error(), "unknown") {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}
