// Command program executes one case after the other for the test of package growth, which builds it with counters.
//
// Its arguments are a folder and numbers. For each case and each number n, it executes the case for n. It writes how often each
// statement was executed into the subfolder "case-n", and prints the case, n, and how many bytes were allocated.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/futoin-go/asyncsteps/internal/counters"
)

type growing struct {
	name string
	run  func(n int)
}

func main() {
	if err := measure(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(folder string, numbers []string) error {
	for _, c := range slices.Concat(guards(), combinators(), drawings()) {
		c.run(10) // what the program makes only once isn't counted
		for _, number := range numbers {
			n, err := strconv.Atoi(number)
			if err != nil {
				return err
			}
			to := filepath.Join(folder, c.name+"-"+number)
			if err := count(c, n, to); err != nil {
				return err
			}
		}
	}
	return nil
}

func count(c growing, n int, to string) error {
	return counters.Write(to, func() error {
		runtime.GC() // pools keep the memory of earlier cases through one collection,
		runtime.GC() // but not through two
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c.run(n)
		runtime.ReadMemStats(&after)
		fmt.Println(c.name, n, after.TotalAlloc-before.TotalAlloc)
		return nil
	})
}
