package arch

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Commands of Taskfile.yml are also in .ci/run, except those that only help people, because a command that isn't run breaks
// unnoticed.
func TestTasksAreRunByCI(t *testing.T) {
	forPeople := []string{"task --list", "env GOTOOLCHAIN=go1.27.2 go fmt ./..."}

	tasks, err := os.ReadFile("../../Taskfile.yml")
	if err != nil {
		t.Fatal(err)
	}
	ci, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^    cmd: (.+)$`).FindAllSubmatch(tasks, -1)
	if len(commands) == 0 {
		t.Error("no commands found in Taskfile.yml")
	}
	for _, match := range commands {
		command := string(match[1])
		if !slices.Contains(forPeople, command) && !strings.Contains(string(ci), command) {
			t.Errorf(".ci/run doesn't run %q, a command of Taskfile.yml", command)
		}
	}
}
