package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// spool is the folder of the files.
type spool struct{ *os.Root }

// verdict is the result for one file.
type verdict struct {
	name string
	why  string // "" if it was delivered
}

func openSpool(folder string) (*spool, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	return &spool{root}, errors.Join(root.MkdirAll("sent", 0o755), root.MkdirAll("dead", 0o755))
}

// list returns the names of the files that wait, sorted.
func (s *spool) list(context.Context, struct{}) (names []string, err error) {
	entries, err := fs.ReadDir(s.FS(), ".")
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// settle moves a file to the folder sent or dead, under a free name. It writes the reason first, so that a dead file always has one.
func (s *spool) settle(_ context.Context, v verdict) (verdict, error) {
	to := "sent"
	if v.why != "" {
		to = "dead"
	}
	to, err := s.unused(path.Join(to, v.name))
	if err == nil && v.why != "" {
		err = s.WriteFile(to+reason, []byte(v.why+"\n"), 0o644)
	}
	if err == nil {
		err = s.Rename(v.name, to)
	}
	return v, err
}

// reason is the suffix of files that hold a reason. A file of the spool may have this suffix, too.
const reason = ".why"

// unused returns name, with a number appended if there is a file of that name or one with its reason.
func (s *spool) unused(name string) (string, error) {
	for n, free := 0, name; ; free = fmt.Sprintf("%s.%d", name, n) {
		taken := false
		for _, other := range []string{free, free + reason} {
			_, err := s.Lstat(other)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
			taken = taken || err == nil
		}
		if !taken {
			return free, nil
		}
		n++
	}
}
