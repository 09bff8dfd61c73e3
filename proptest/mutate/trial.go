package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
			fmt.Fprintln(&todo, builds[m.build].script(), i, filepath.Dir(m.file))
		}
	}
	for _, b := range builds {
		check(os.WriteFile(b.script(), []byte(b.trial(kept)), 0o600))
	}
	// xargs is on every system, and keeps a number of processes busy.
	cmd := exec.CommandContext(context.Background(), "xargs", "-n", "3", "-P", strconv.Itoa(workers), "sh") //nolint:gosec // our own scripts
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

// trial returns a shell script that finds the first of the suites that kills a mutant. Its arguments are the number and
// the folder of the mutant: suites of packages that don't depend on the folder aren't run. A suite that fails without
// the mutant as well has killed nothing: the machine is too busy for its limit, or it fails now and then.
func (b build) trial(suites []suite) string {
	var script strings.Builder
	for _, s := range suites {
		run := quoted(b.command(s) + " >/dev/null 2>&1")
		fmt.Fprintf(&script, "case %[1]s in *\" $2 \"*) MUTANT=$1 sh -c %[2]s || ! sh -c %[2]s || { echo \"$1 %[3]s\"; exit 0; } ;; esac\n",
			quoted(" "+strings.Join(folders(s.pkg), " ")+" "), run, s.name)
	}
	script.WriteString("echo $1\n")
	return script.String()
}

// folders returns the folders of this module that the tests of pkg are made of.
func folders(pkg string) []string {
	list := exec.CommandContext(context.Background(), "go", "list", "-deps", "-test", "-f", "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}", "./"+pkg) //nolint:gosec // the go command
	out, err := list.Output()
	check(err)
	root, err := os.Getwd()
	check(err)
	all := strings.Fields(string(out))
	for i, dir := range all {
		all[i], err = filepath.Rel(root, dir)
		check(err)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// quoted returns text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
