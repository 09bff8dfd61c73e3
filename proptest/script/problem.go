package script

import "fmt"

// FormatError reports why a text isn't a program.
type FormatError struct{ Problem string }

// Error returns the problem.
func (e *FormatError) Error() string { return "not a program: " + e.Problem }

func malformed(format string, args ...any) error {
	return &FormatError{fmt.Sprintf(format, args...)}
}
