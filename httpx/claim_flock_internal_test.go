//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package httpx

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A claim is on the file that has the name, also if the claim before has removed its own.
func TestClaim(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file.part")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5000 {
				release, err := claim(name)
				if err != nil {
					continue
				}
				file, err := os.OpenFile(name, os.O_RDWR, 0)
				if err == nil {
					err = file.Close()
				}
				if err == nil {
					err = os.Remove(name)
				}
				if err != nil {
					t.Error(err)
				}
				release()
			}
		})
	}
	all.Wait()
}
