package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"testing/fstest"
)

func files(n int) fstest.MapFS {
	tree := make(fstest.MapFS)
	for i := range n {
		tree[fmt.Sprintf("%02d/%d", i/10, i%10)] = &fstest.MapFile{Data: fmt.Append(nil, i)}
	}
	return tree
}

// cancelling is a file system that calls cancel when a certain folder is opened.
type cancelling struct {
	tree   fstest.MapFS
	folder string
	cancel context.CancelFunc
	last   string // the name opened last
}

func (c *cancelling) Open(name string) (fs.File, error) {
	if name == c.folder {
		c.cancel()
	}
	c.last = name
	return c.tree.Open(name)
}

// long is a file system with a file that calls cancel when it is read.
type long struct {
	fs.File

	cancel context.CancelFunc
	reads  int
}

func (l *long) Open(string) (fs.File, error) { return l, nil }

func (l *long) Read(p []byte) (int, error) {
	l.cancel()
	if l.reads++; l.reads > 9 {
		return 0, io.EOF
	}
	return len(p), nil
}

func (l *long) Close() error { return nil }

// locked is a file system with a file that can't be opened.
type locked struct {
	fs.FS

	file string
}

func (l locked) Open(name string) (fs.File, error) {
	if name == l.file {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.FS.Open(name)
}
