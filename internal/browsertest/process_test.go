package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A browser that dies at its start, as a real one does once in a great while, is started again.
func TestDiesAtItsStart(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	chromium, err := program()
	if err != nil {
		t.Skip("there is no Chromium: ", err)
	}
	dir := t.TempDir()
	fragile := filepath.Join(dir, "chromium")
	script := fmt.Sprintf("#!/bin/sh\necho >> %[1]s/starts\n[ $(wc -l < %[1]s/starts) -gt 2 ] || kill -SEGV $$\nexec %[2]s \"$@\"\n", dir, chromium)
	if err := os.WriteFile(fragile, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := begin(t, fragile).Eval("1 + 2"); got != "3" {
		t.Errorf("1 + 2 = %s", got)
	}
}
