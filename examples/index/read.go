package main

import (
	"context"
	"crypto/sha256"
	"io"
	"io/fs"
)

// file is a line of the index.
type file struct {
	name string
	hash [sha256.Size]byte
	size int64
	err  error // why it could not be read
}

// read hashes the file called name. A file that can't be read doesn't fail the run, so that the other files are still read. The
// end of ctx does fail it.
func read(ctx context.Context, tree fs.FS, name string) (file, error) {
	f := file{name: name}
	in, err := tree.Open(name)
	if err != nil {
		f.err = err
		return f, nil
	}
	defer func() { _ = in.Close() }() // nothing was written
	hash := sha256.New()
	f.size, f.err = io.Copy(hash, attentive{ctx, in})
	if f.err != nil && ctx.Err() != nil { // nothing is wrong with the file
		return file{}, f.err
	}
	hash.Sum(f.hash[:0])
	return f, nil
}

// attentive stops reading when ctx ends, even in the middle of a large file.
type attentive struct {
	ctx context.Context
	in  io.Reader
}

func (a attentive) Read(p []byte) (int, error) {
	if a.ctx.Err() != nil {
		return 0, context.Cause(a.ctx)
	}
	return a.in.Read(p)
}
