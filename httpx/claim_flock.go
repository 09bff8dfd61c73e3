//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package httpx

import (
	"errors"
	"os"
	"syscall"
)

// claim locks the file of that name against claims of all processes until release is called. It creates the file if there is
// none. On a file system without locks every claim succeeds.
func claim(name string) (release func(), err error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666) //nolint:gosec // the umask decides
	if err != nil {
		return nil, fileFailed(err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	// The claim before may have renamed or removed the file after it was opened here.
	if errors.Is(err, syscall.EWOULDBLOCK) || !names(name, file) {
		_ = file.Close()
		return nil, claimed(name)
	}
	return func() { _ = file.Close() }, nil
}

// names reports whether file still has that name.
func names(name string, file *os.File) bool {
	opened, err := file.Stat()
	found, err2 := os.Stat(name)
	return err == nil && err2 == nil && os.SameFile(opened, found)
}
