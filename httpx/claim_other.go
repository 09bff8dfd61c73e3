//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package httpx

import (
	"path/filepath"
	"sync"
)

// claims holds the absolute names of claimed files.
var claims sync.Map

// claim locks the file of that name against claims of this process until release is called. The file may not exist.
func claim(name string) (release func(), err error) {
	whole, err := filepath.Abs(name)
	if err != nil {
		return nil, fileFailed(err)
	}
	if _, busy := claims.LoadOrStore(whole, nil); busy {
		return nil, claimed(name)
	}
	return func() { claims.Delete(whole) }, nil
}
