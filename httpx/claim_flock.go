//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package httpx

import (
	"errors"
	"os"
	"syscall"
)

// noFollow makes os.OpenFile fail for a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// lock locks file until it is closed, and reports false if another process has locked it. Without locks in the file system it
// reports true.
func lock(file *os.File) bool {
	return !errors.Is(syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
