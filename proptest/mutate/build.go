package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// build is a set of test binaries that many mutants are compiled into.
type build struct {
	dir    string
	suites []suite
}

// compile puts the chosen mutants into as few builds as possible: mutants whose edits overlap go to different ones. It
// counts the mutants that don't compile.
func compile(dir string, mutants []*mutant, chosen []int, suites []suite) (builds []build, invalid int) {
	left := slices.Clone(chosen)
	for len(left) > 0 {
		b := build{filepath.Join(dir, strconv.Itoa(len(builds))), suites}
		check(os.MkdirAll(b.dir, 0o700))
		var now, later []int
		ends := map[string]int{} // where the last edit ends, by file
		slices.SortStableFunc(left, func(i, j int) int { return mutants[i].from - mutants[j].from })
		for _, i := range left {
			if m := mutants[i]; m.from >= ends[m.file] {
				ends[m.file] = m.to
				now = append(now, i)
			} else {
				later = append(later, i)
			}
		}
		for {
			bad := b.make(mutants, now)
			if len(bad) == 0 {
				break
			}
			invalid += len(bad)
			now = slices.DeleteFunc(now, func(i int) bool { return slices.Contains(bad, i) })
		}
		for _, i := range now {
			mutants[i].build = len(builds)
		}
		builds = append(builds, b)
		left = later
		fmt.Printf("build %d: %d mutants\n", len(builds), len(now))
	}
	return builds, invalid
}

// make compiles the test binaries with the given mutants in them. It returns the mutants on lines that don't compile.
func (b build) make(mutants []*mutant, in []int) (bad []int) {
	replace := map[string]string{}
	byFile := map[string][]int{}
	for _, i := range in {
		byFile[mutants[i].file] = append(byFile[mutants[i].file], i)
	}
	for file, edits := range byFile {
		source, err := os.ReadFile(file) //nolint:gosec // a source file of this module
		check(err)
		text := string(source)
		slices.SortFunc(edits, func(i, j int) int { return mutants[j].from - mutants[i].from })
		for _, i := range edits {
			m := mutants[i]
			text = text[:m.from] + fmt.Sprintf(m.form, fmt.Sprintf("(mutantOn == %d)", i)) + text[m.to:]
		}
		b.overlay(replace, file, text)
		dir := filepath.Dir(file)
		b.overlay(replace, filepath.Join(dir, "mutant_switch.go"), fmt.Sprintf(switchText, packageOf(text)))
	}
	table, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	check(err)
	overlay := filepath.Join(b.dir, "overlay.json")
	check(os.WriteFile(overlay, table, 0o600))
	for _, pkg := range packages(b.suites) {
		out, err := exec.CommandContext(context.Background(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", b.binary(pkg), "./"+pkg).CombinedOutput() //nolint:gosec // the go command
		if err == nil {
			continue
		}
		for _, match := range badLine.FindAllStringSubmatch(string(out), -1) {
			for _, i := range in {
				if m := mutants[i]; filepath.Base(m.file) == filepath.Base(match[1]) && strconv.Itoa(m.line) == match[2] && !slices.Contains(bad, i) {
					bad = append(bad, i)
				}
			}
		}
		if len(bad) == 0 {
			check(fmt.Errorf("the mutants of %s don't compile: %s", b.dir, out))
		}
		return bad
	}
	return nil
}

var badLine = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):`)

// switchText is the file that is added to each package with mutants.
const switchText = `package %s

import (
	"os"
	"strconv"
)

var mutantOn = func() int {
	n, err := strconv.Atoi(os.Getenv("MUTANT"))
	if err != nil {
		return -1
	}
	return n
}()
`

func packageOf(source string) string {
	for line := range strings.SplitSeq(source, "\n") {
		if name, ok := strings.CutPrefix(line, "package "); ok {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

func (b build) overlay(replace map[string]string, file, text string) {
	original, err := filepath.Abs(file)
	check(err)
	mutated := filepath.Join(b.dir, strings.ReplaceAll(file, string(filepath.Separator), "_"))
	check(os.WriteFile(mutated, []byte(text), 0o600)) //nolint:gosec // in the folder of this build
	replace[original] = mutated
}

// binary returns the path of the test binary of pkg.
func (b build) binary(pkg string) string {
	return filepath.Join(b.dir, strings.ReplaceAll(pkg, "/", "_")+".test")
}
