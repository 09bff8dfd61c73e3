package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// try runs the suites with each of the chosen mutants switched on, several mutants at a time, until the first suite
// fails. It calls add with each verdict; killer is the suite, or "" for a mutant that survives.
func try(builds []build, mutants []*mutant, chosen []int, workers int, add func(i int, killer string)) {
	kept := builds[0].sound()
	var todo strings.Builder
	for _, i := range chosen {
		if m := mutants[i]; m.build >= 0 {
			fmt.Fprintln(&todo, builds[m.build].script(), i)
		}
	}
	for _, b := range builds {
		check(os.WriteFile(b.script(), []byte(b.trial(kept)), 0o600))
	}
	// xargs is on every system, and keeps a number of processes busy.
	cmd := exec.CommandContext(context.Background(), "xargs", "-n", "2", "-P", strconv.Itoa(workers), "sh") //nolint:gosec // our own scripts
	cmd.Stdin = strings.NewReader(todo.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	check(err)
	check(cmd.Start())
	for lines := bufio.NewScanner(out); lines.Scan(); {
		number, killer, _ := strings.Cut(lines.Text(), " ")
		i, err := strconv.Atoi(number)
		check(err)
		add(i, killer)
	}
	check(cmd.Wait())
}

func (b build) script() string { return filepath.Join(b.dir, "trial") }

// trial returns a shell script that finds the first of the suites that kills a mutant, whose number is its argument.
func (b build) trial(suites []suite) string {
	var script strings.Builder
	script.WriteString("export MUTANT=$1\n")
	for _, s := range suites {
		fmt.Fprintf(&script, "%s >/dev/null 2>&1 || { echo \"$1 %s\"; exit 0; }\n", b.command(s), s.name)
	}
	script.WriteString("echo $1\n")
	return script.String()
}
