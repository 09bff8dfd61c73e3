// Package plugin makes the checks of stepvet a linter of golangci-lint, through
// the module plugin system of golangci-lint. In .custom-gcl.yml:
//
//	version: v2.15.0
//	plugins:
//	  - module: github.com/futoin-go/asyncsteps/cmd/stepvet
//	    import: github.com/futoin-go/asyncsteps/cmd/stepvet/plugin
//	    version: latest
//
// and in .golangci.yml:
//
//	linters:
//	  enable: [stepvet]
//	  settings:
//	    custom:
//	      stepvet:
//	        type: module
//	        settings:
//	          disable: [leftloop]
package plugin

import (
	"fmt"
	"slices"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/futoin-go/asyncsteps/cmd/stepvet/checks"
)

// Name is the name of the linter in the configuration of golangci-lint.
const Name = "stepvet"

func init() { //nolint:gochecknoinits // golangci-lint finds a plugin by what its package registers
	register.Plugin(Name, New)
}

// Settings are the options of stepvet in the configuration of golangci-lint.
type Settings struct {
	// Disable names checks that don't run, like "leftloop".
	Disable []string `json:"disable"`
	// Locks makes the check blocking report every lock.
	Locks bool `json:"locks"`
}

// linter implements [register.LinterPlugin].
type linter struct{ analyzers []*analysis.Analyzer }

// New makes the linter from its settings, which golangci-lint has read from YAML. Unknown settings, and names of checks that don't
// exist, are errors.
func New(conf any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](conf)
	if err != nil {
		return nil, err
	}
	all := checks.All()
	for _, name := range s.Disable {
		at := slices.IndexFunc(all, func(a *analysis.Analyzer) bool { return a.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("stepvet: disable: there is no check %q", name)
		}
		all = slices.Delete(all, at, at+1)
	}
	if s.Locks {
		if err := checks.Blocking.Flags.Set("locks", "true"); err != nil {
			return nil, err
		}
	}
	return linter{all}, nil
}

// BuildAnalyzers returns the checks.
func (l linter) BuildAnalyzers() ([]*analysis.Analyzer, error) { return l.analyzers, nil }

// GetLoadMode implements [register.LinterPlugin]: the checks need information on types.
func (linter) GetLoadMode() string { return register.LoadModeTypesInfo }
