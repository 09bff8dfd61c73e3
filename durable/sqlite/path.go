package sqlite

import (
	"net/url"
	"os"
	"path/filepath"
)

// patient makes a connection wait up to ten seconds for the locks of others.
const patient = "busy_timeout(10000)"

// rarely makes SQLite move the log into the file when the log has 2000 pages, twice as many as by default. The writer
// waits meanwhile.
const rarely = "wal_autocheckpoint(2000)"

func dsn(path string, pragmas ...string) string {
	q := url.Values{"_pragma": pragmas}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// resolved returns the absolute path of the file. If path is a link, that is the path of its target, even if the target isn't there
// yet: the lock must be beside the file itself. The path is absolute because connections that are opened later must find the file
// after the program has changed its working directory.
func resolved(path string) string {
	at, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for range 40 { // links to links
		if file, err := filepath.EvalSymlinks(at); err == nil {
			return file
		}
		if folder, err := filepath.EvalSymlinks(filepath.Dir(at)); err == nil {
			at = filepath.Join(folder, filepath.Base(at))
		}
		to, err := os.Readlink(at)
		if err != nil {
			return at // no link
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(at), to)
		}
		at = to
	}
	return at
}
