package docscheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Programs in JavaScript use the package that difftest/run installs.
func TestJavaScriptPrograms(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no Node.js")
	}
	home := filepath.Join(root, "difftest")
	if _, err := os.Stat(filepath.Join(home, "node_modules")); err != nil {
		t.Skip("difftest/run has not installed the package yet")
	}
	for _, p := range checked(t) {
		programs, _ := p.programs()
		for _, p := range programs {
			if p.lang == "js" {
				t.Run(p.folder(), func(t *testing.T) { p.check(t, home, node, "--eval", p.files[0].text) })
			}
		}
	}
}
