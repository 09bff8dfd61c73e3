package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"strings"
)

// report writes the index of a folder to stdout, in the format of sha256sum, and its totals to stderr. If files could not be
// read, it names them on stderr, and fails.
func report(folder string, files []file, stdout, stderr io.Writer) error {
	var size int64
	unread, contents := 0, make(map[[sha256.Size]byte]bool)
	lines := bufio.NewWriter(stdout)
	for _, f := range files {
		if f.err != nil {
			unread++
			fmt.Fprintln(stderr, "not read:", f.err)
			continue
		}
		size += f.size
		contents[f.hash] = true
		fmt.Fprintln(lines, line(f.hash, path.Join(folder, f.name)))
	}
	if err := lines.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%d files, %d different, %d bytes\n", len(files)-unread, len(contents), size)
	if unread > 0 {
		return fmt.Errorf("%d of %d files could not be read", unread, len(files))
	}
	return nil
}

// line returns a line of the index. If the name has to be escaped, the line begins with a backslash.
func line(hash [sha256.Size]byte, name string) string {
	escaped := strings.NewReplacer("\\", `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
	if escaped != name {
		return fmt.Sprintf("\\%x  %s", hash, escaped)
	}
	return fmt.Sprintf("%x  %s", hash, name)
}
