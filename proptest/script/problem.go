package script

import "fmt"

// FormatError says why a text is no program.
type FormatError struct{ Problem string }

// Error is the problem.
func (e *FormatError) Error() string { return "not a program: " + e.Problem }

func malformed(format string, args ...any) error {
	return &FormatError{fmt.Sprintf(format, args...)}
}
