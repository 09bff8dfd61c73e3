//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package httpx

import (
	"errors"
	"os"
	"syscall"
)

// lock locks file against all processes until it is closed. It reports false if it is locked already. On a file system without locks it
// does nothing.
func lock(file *os.File) bool {
	return !errors.Is(syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
