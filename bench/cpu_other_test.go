//go:build !unix

package bench

import "testing"

// processors returns a report that does nothing, because the processor time isn't known on this system.
func processors(*testing.B) (report func(n int, unit string)) { return func(int, string) {} }
