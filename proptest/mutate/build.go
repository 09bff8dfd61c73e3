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

type build struct {
	dir    string
	suites []suite
}

// compile puts the chosen mutants into a few builds: mutants whose edits overlap go to different ones. It counts the mutants
// that it leaves out because their lines don't compile.
//
// The place of a mutant is a mutant of the first build whose old text contains that of the mutant; often it is the mutant itself.
// A test that reaches a mutant has reached its place before.
func compile(dir string, mutants []*mutant, chosen []int, suites []suite) (builds []build, invalid int) {
	left := slices.Clone(chosen)
	slices.SortStableFunc(left, func(i, j int) int { return mutants[i].from - mutants[j].from })
	for len(left) > 0 {
		b := build{filepath.Join(dir, strconv.Itoa(len(builds))), suites}
		check(os.MkdirAll(b.dir, 0o700))
		var now, later []int
		ends := map[string]int{} // where the last edit ends, by file
		for _, i := range left {
			m := mutants[i]
			if m.from < ends[m.file] {
				later = append(later, i)
				continue
			}
			ends[m.file] = m.to
			now = append(now, i)
		}
		if bad := b.make(mutants, now); len(bad) > 0 {
			invalid += len(bad)
			left = slices.DeleteFunc(left, func(i int) bool { return slices.Contains(bad, i) })
			continue
		}
		for _, i := range now {
			mutants[i].build = len(builds)
		}
		if len(builds) == 0 {
			place(mutants, now, chosen)
		}
		builds = append(builds, b)
		left = later
		fmt.Printf("build %d: %d mutants\n", len(builds), len(now))
	}
	return builds, invalid
}

func place(mutants []*mutant, first, chosen []int) {
	for _, i := range chosen {
		at := slices.IndexFunc(first, func(k int) bool {
			m, outer := mutants[i], mutants[k]
			return m.file == outer.file && outer.from <= m.from && m.to <= outer.to
		})
		if at >= 0 {
			mutants[i].place = first[at]
		}
	}
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
			text = text[:m.from] + fmt.Sprintf(m.form, fmt.Sprintf("mutantIs(%d)", i)) + text[m.to:]
		}
		b.overlay(replace, file, text)
		dir := filepath.Dir(file)
		b.overlay(replace, filepath.Join(dir, "mutant_switch.go"), fmt.Sprintf(switchText, packageOf(text), len(mutants)))
	}
	table, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	check(err)
	overlay := filepath.Join(b.dir, "overlay.json")
	check(os.WriteFile(overlay, table, 0o600))
	compiler := exec.CommandContext(context.Background(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", b.dir+string(filepath.Separator)) //nolint:gosec // the go command
	for _, s := range b.suites {
		compiler.Args = append(compiler.Args, "./"+s.pkg)
	}
	out, err := compiler.CombinedOutput()
	if err == nil {
		return nil
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

var badLine = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):`)

// switchText is the text of a file that each package with mutants gets. If MUTANTS_MET names a file, the code writes there which
// mutants a test reaches.
const switchText = `package %[1]s

import (
	"os"
	"strconv"
	"sync/atomic"
)

var mutantOn = func() int {
	n, err := strconv.Atoi(os.Getenv("MUTANT"))
	if err != nil {
		return -1
	}
	return n
}()

var (
	mutantsMet = os.Getenv("MUTANTS_MET")
	mutantMet  [%[2]d]atomic.Bool
)

func mutantIs(n int) bool {
	if mutantsMet != "" {
		mutantNote(n)
	}
	return n == mutantOn
}

func mutantNote(n int) {
	if mutantMet[n].Swap(true) {
		return
	}
	file, err := os.OpenFile(mutantsMet, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if _, err := file.WriteString(strconv.Itoa(n) + ","); err != nil {
		panic(err)
	}
}
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

func (b build) binary(pkg string) string { return filepath.Join(b.dir, filepath.Base(pkg)+".test") }
