//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package httpx

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A claim never gets a file that an earlier claim has removed.
func TestClaim(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file.part")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5000 {
				file, release, err := claim(name)
				if err != nil {
					continue
				}
				release() // as if the others were other processes
				if err := errors.Join(os.Remove(name), file.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
