//go:build !unix

package bench

import "testing"

// processors reports nothing where the time of processors isn't known.
func processors(*testing.B) (report func(n int, unit string)) { return func(int, string) {} }
