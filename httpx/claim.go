package httpx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
)

// claims holds the canonical names of the files that downloads of this process write.
var claims sync.Map

// claim opens or creates the file called name, an absolute path, for one download. The download closes the file, and then calls
// release. Until then other claims of the file fail: those of this process, and where lock works also those of other processes.
func claim(name string) (file *os.File, release func(), err error) {
	key := canonical(name)
	if _, busy := claims.LoadOrStore(key, nil); busy {
		return nil, nil, claimed(name)
	}
	release = func() { claims.Delete(key) }
	if file, err = open(name); err != nil {
		release()
		return nil, nil, fileFailed(err)
	}
	// An earlier claim may have renamed or removed the file after it was opened here.
	if !lock(file) || !names(name, file) {
		_ = file.Close()
		release()
		return nil, nil, claimed(name)
	}
	return file, release, nil
}

// open opens or creates the file called name. It fails if name is a symbolic link, because somebody else may have made that.
func open(name string) (*os.File, error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errLink}
	}
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|noFollow, 0o666) //nolint:gosec // the umask decides
}

var errLink = errors.New("it is a symbolic link")

func canonical(name string) string {
	if folder, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(folder, filepath.Base(name))
	}
	if runtime.GOOS == "windows" {
		return strings.ToLower(name)
	}
	return name
}

// names reports whether name is still the name of file. A symbolic link to file doesn't count.
func names(name string, file *os.File) bool {
	opened, err := file.Stat()
	found, err2 := os.Lstat(name)
	return err == nil && err2 == nil && os.SameFile(opened, found)
}

func claimed(name string) error {
	return fault.New(fault.DefenseRejected, name+" is being written by another download")
}
