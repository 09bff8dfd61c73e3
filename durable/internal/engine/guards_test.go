package engine

import (
	"strings"
	"testing"
)

// This module doesn't depend on the modules of these guards.
func TestGuardsOfClusters(t *testing.T) {
	for _, pkg := range []string{"nats", "redis"} {
		if got := guarded(guards+"/"+pkg, pkg+".Mutex"); !strings.HasPrefix(got, "a "+pkg+".Mutex serves many processes") {
			t.Errorf("got %q", got)
		}
	}
	if got := guarded("github.com/futoin-go/asyncsteps/syncxy", "syncxy.Mutex"); !strings.HasPrefix(got, "the guard syncxy.Mutex has") {
		t.Errorf("got %q", got)
	}
}
