package arch

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// refused matches names of files that Windows or the go command doesn't allow. Of a tree with nearly any of these the go
// command refuses to make a module.
var refused = regexp.MustCompile("(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\\..*)?$|[\"'`*<>?\\\\|:;]|[. ]$")

func TestFileNamesFitAModule(t *testing.T) {
	for name, bad := range map[string]bool{"nul": true, "NUL.txt": true, "com1": true, "a:b": true, "end.": true, "null": false, "console.go": false} {
		if refused.MatchString(name) != bad {
			t.Errorf("%q: refused is %v", name, !bad)
		}
	}
	seen := 0
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case name != "." && refused.MatchString(d.Name()):
			t.Errorf("%s: the go command accepts no such name in a module", name)
		}
		seen++
		return nil
	})
	if err != nil || seen < 500 {
		t.Errorf("looked at %d names: %v", seen, err)
	}
}
