package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/futoin-go/asyncsteps/fault"
)

// For texts of any kind, Error returns one line of valid UTF-8, %+v prints as many lines as the parts of
// the error need, and wrapping the error doesn't change its CodeOf.
func FuzzPrint(f *testing.F) {
	f.Add("CommError", "no price", "0/par.1", "price", "page.go", "EOF")
	f.Add("", "", "", "", "", "")
	f.Add("a\nb", "c\r\n\u2028d", "\x00", "\u2028", "/", "\xff\n\n")
	f.Add("Timeout", "%s%!d", "%+v", `"`, "a/b/", "\x85")
	f.Add("A", "same", "0", "", "", "same")
	f.Fuzz(func(t *testing.T, code, info, path, name, file, cause string) {
		err := &fault.Error{
			Code:      fault.Code(code),
			Info:      info,
			Cause:     errors.New(cause),
			Path:      path,
			Name:      name,
			Site:      fault.Site{File: file, Line: 1, Func: file},
			Unwind:    []fault.Frame{{Path: path + "x", Name: name, Kind: info}},
			Secondary: []error{errors.New(info)},
			Record:    []fault.Event{{What: info, Path: path, Name: name, Err: errors.New(cause)}},
		}
		one := err.Error()
		if strings.ContainsAny(one, "\n\r\x1b\u2028") || !utf8.ValidString(one) {
			t.Errorf("Error is %q", one)
		}
		all := fmt.Sprintf("%+v", err)
		want := 6
		if told := shown(info); told != "" && told == shown(cause) {
			want-- // the cause adds no line
		}
		if got := strings.Count(all, "\n"); got != want || !utf8.ValidString(all) {
			t.Errorf("%%+v has %d line breaks, want %d: %q", got, want, all)
		}
		if got := fault.CodeOf(fmt.Errorf("x: %w", err)); got != fault.CodeOf(err) || !errors.Is(err, got) {
			t.Errorf("CodeOf is %q, the error has %q", got, code)
		}
	})
}

func shown(s string) string {
	return strings.TrimPrefix(strings.TrimPrefix(fault.New("X", s).Error(), "X"), ": ")
}
