package sqlite

import (
	"net/url"
	"os"
	"path/filepath"
)

// patient has a connection wait for others.
const patient = "busy_timeout(10000)"

// rarely has the log moved into the file when it has 2000 pages, 8 MiB. That takes some ten milliseconds, in which nothing else is written. With half
// as many pages, the default of SQLite, one in a hundred signals to runs all over the file had to wait for that.
const rarely = "wal_autocheckpoint(2000)"

// dsn returns the name of the database at path for the driver.
func dsn(path string, pragmas ...string) string {
	q := url.Values{"_pragma": pragmas}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// resolved returns the absolute path of the file itself, if path is a link to it, also if the file isn't there yet: the lock stands beside
// the file, and connections that are opened later must find it if the program has changed its folder.
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
