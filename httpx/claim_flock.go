//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package httpx

import (
	"errors"
	"os"
	"syscall"
)

// lock locks file against other processes until it is closed. It reports false if another one has the lock, and true,
// without a lock, on a file system that has none.
func lock(file *os.File) bool {
	return !errors.Is(syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
