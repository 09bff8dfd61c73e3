package engine

import (
	"strings"
	"testing"
)

// Guards of a cluster are of modules that this one doesn't need.
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
